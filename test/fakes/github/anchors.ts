// Which lines of a pull request's diff a comment may stand on, and GitHub's answer when it may not.
// Pure.
import { Refusal, type Side } from "./conversation.ts";

export interface DiffLine {
  readonly hunk: number;
  readonly old: number | null;
  readonly new: number | null;
  readonly text: string;
}

export interface Anchor {
  readonly path: string;
  readonly side: Side;
  readonly startSide: Side;
  readonly startLine: number | null;
  readonly line: number;
}

/**
 * Every line of a patch (`@@ …` hunks) with its number on each side; null where it does not exist
 * there.
 */
export function linesOfPatch(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let hunk = -1;
  let oldLine = 0;
  let newLine = 0;
  for (const raw of patch.split("\n")) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(raw);
    if (header) {
      hunk++;
      oldLine = Number(header[1]);
      newLine = Number(header[2]);
    } else if (raw.startsWith("+")) lines.push({ hunk, old: null, new: newLine++, text: raw.slice(1) });
    else if (raw.startsWith("-")) lines.push({ hunk, old: oldLine++, new: null, text: raw.slice(1) });
    else if (!raw.startsWith("\\")) lines.push({ hunk, old: oldLine++, new: newLine++, text: raw.slice(1) });
  }
  return lines;
}

/** The patch line on which line `number` of `side` stands, or undefined. */
export function lineAt(lines: readonly DiffLine[], side: Side, number: number): DiffLine | undefined {
  return lines.find((line) => (side === "LEFT" ? line.old : line.new) === number);
}

/**
 * The commented line, when GitHub would take the comment.
 * Throws the 422 that GitHub gives otherwise; as on GitHub it does not say which comment of a
 * review was meant.
 */
export function placeAnchor(anchor: Anchor, patches: ReadonlyMap<string, string | null>): DiffLine {
  const patch = patches.get(anchor.path);
  if (patch === undefined) throw unprocessable("Path could not be resolved");
  const lines = linesOfPatch(patch ?? "");
  const end = lineAt(lines, anchor.side, anchor.line);
  if (!end) throw unprocessable("Line could not be resolved");
  if (anchor.startLine === null) return end;
  const start = lineAt(lines, anchor.startSide, anchor.startLine);
  if (!start) throw unprocessable("Start line could not be resolved");
  if (start.hunk !== end.hunk) throw unprocessable("Start line must be part of the same hunk as the line.");
  if (lines.indexOf(start) >= lines.indexOf(end)) throw unprocessable("Start line must precede the end line.");
  return end;
}

/** The hunk from its header down to the commented line, as GitHub shows it above a comment. */
export function hunkAbove(patch: string, target: DiffLine): string {
  const kept: string[] = [];
  let hunk = -1;
  const before = linesOfPatch(patch).filter((line) => line.hunk === target.hunk);
  let budget = before.findIndex((line) => line.old === target.old && line.new === target.new) + 1;
  for (const raw of patch.split("\n")) {
    if (raw.startsWith("@@ ")) hunk++;
    if (hunk !== target.hunk) continue;
    if (!raw.startsWith("@@ ") && budget-- === 0) break;
    kept.push(raw);
  }
  return kept.join("\n");
}

function unprocessable(reason: string): Refusal {
  return new Refusal(422, "Unprocessable Entity", [reason]);
}
