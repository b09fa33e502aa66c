// Formats a file's diff for a model: each line with its anchor, below the enclosing lines.
import type { CallSites, ChangeContext, Excerpt } from "../../domain/change-context.ts";
import type { DiffLine, FileDiff, Hunk } from "../../domain/pull-request.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { revealLine } from "../../domain/text/untrusted-text.ts";
import { anchorOf, CUT_MARK } from "../placing/locate.ts";

/** UTF-16 units of one line: minified text would fill a prompt by itself. */
export const MOST_LINE_CHARS = 500;
const ENCLOSING = 3;
const LOOK_BACK = 400;

/**
 * The first line of a file.
 *
 * @returns `### FILE src/a.ts (renamed from src/b.ts), +3 -1`
 */
export function fileHeading(file: FileDiff): string {
  const from = file.previousPath === null ? file.status : `${file.status} from ${revealLine(file.previousPath)}`;
  return `### FILE ${revealLine(file.path)} (${from}), +${file.additions} -${file.deletions}`;
}

/**
 * A hunk as lines `ANCHOR:MARKER TEXT`, below the enclosing lines according to git and the head.
 *
 * @param headLines every line of the head file, or null
 * @returns with the number of added and removed lines that are shown only in part
 */
export function drawHunk(path: string, hunk: Hunk, headLines: readonly string[] | null) {
  const drawn = hunk.lines.map((line) => drawLine(path, line));
  const lines = [
    `@@ ${revealLine(cutText(hunk.section, 200))}`.trimEnd(),
    ...enclosing(hunk, headLines),
    ...drawn.map(({ text }) => text),
  ];
  const cutLines = drawn.filter(({ isCut }, at) => isCut && hunk.lines[at]?.kind !== "context").length;
  return { text: lines.join("\n"), cutLines };
}

function drawLine(path: string, { kind, oldLine, newLine, text }: DiffLine) {
  const side = kind === "removed" ? "LEFT" : "RIGHT";
  const anchor = anchorOf(path, side, (side === "LEFT" ? oldLine : newLine) ?? 0, text);
  const marker = { added: "+", removed: "-", context: " " }[kind];
  const shown = shownLine(text);
  return { text: `${anchor}:${marker}${shown.text}`, isCut: shown.isCut };
}

/** The line with hidden characters revealed; a long one is cut. */
export function shownLine(text: string) {
  // A minified line is cut before it is read through: only its start is shown.
  const start = revealLine(cutText(text, 4 * MOST_LINE_CHARS));
  const isCut = start.length > MOST_LINE_CHARS || text.length > 4 * MOST_LINE_CHARS;
  return { text: isCut ? `${cutText(start, MOST_LINE_CHARS)}${CUT_MARK}` : start, isCut };
}

/**
 * The nearest lines above with ever smaller indentation: mostly the enclosing function, class and
 * module. Without an anchor, because no comment can be placed there.
 */
function enclosing(hunk: Hunk, head: readonly string[] | null): readonly string[] {
  const first = hunk.lines.find(({ text, newLine }) => newLine !== null && text.trim() !== "");
  if (head === null || first === undefined) return [];
  const found: string[] = [];
  let indent = indentOf(first.text);
  for (let at = hunk.newStart - 2; at >= 0 && at >= hunk.newStart - LOOK_BACK && found.length < ENCLOSING; at--) {
    const line = head[at] ?? "";
    if (!/[\p{L}\p{N}]/u.test(line) || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    found.unshift(`(line ${at + 1}, not changed) ${shownLine(line.replace(/\r$/, "")).text}`);
  }
  return found;
}

function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0;
}

/** The code around a change: excerpts by file, then other uses of changed names; may be "". */
export function drawnContext({ excerpts, callSites }: Pick<ChangeContext, "excerpts" | "callSites">): string {
  return [...excerpts.map(drawnExcerpt), ...callSites.map(drawnCalls)].join("\n\n");
}

const MOST_REASONS = 6;

function drawnExcerpt({ path, why, lines }: Excerpt): string {
  const drawn: string[] = [];
  let next = -1;
  for (const { line, text } of lines) {
    if (line !== next) drawn.push(`(line ${line})`);
    drawn.push(revealLine(text));
    next = line + 1;
  }
  const more = why.length > MOST_REASONS ? `, and ${why.length - MOST_REASONS} more` : "";
  return `### ${revealLine(path)}: ${why.slice(0, MOST_REASONS).map(revealLine).join(", ")}${more}\n${drawn.join("\n")}`;
}

function drawnCalls({ name, sites, more }: CallSites): string {
  const lines = sites.map(({ path, line, text }) => `${revealLine(path)}:${line}: ${revealLine(text)}`);
  const rest = more > 0 ? [`(and ${more} more)`] : [];
  return [`### other places that use ${revealLine(name)}`, ...lines, ...rest].join("\n");
}

/** One part of a prompt. */
export interface Section {
  /** Stable word: `description`, `commits`, `risks`. */
  readonly part: string;
  readonly heading: string;
  readonly text: string;
  /** Its limit, in UTF-16 units. */
  readonly most: number;
  /** Higher values are cut later. */
  readonly worth: number;
}

const MORE = "(the rest was left out)";

/**
 * Cuts each section to its own limit and then, lowest worth first, all of them to the total.
 *
 * @param budget UTF-16 units for all texts together
 * @returns the sections in the given order, without empty ones
 */
export function fitSections(sections: readonly Section[], budget: number) {
  const present = sections.filter(({ text }) => text !== "");
  const shown = new Map(present.map((section) => [section, cutAtLine(section.text, section.most)]));
  let over = [...shown.values()].reduce((sum, text) => sum + text.length, 0) - budget;
  for (const section of [...present].sort((a, b) => a.worth - b.worth)) {
    if (over <= 0) break;
    const text = shown.get(section) ?? "";
    const shorter = cutAtLine(text, Math.max(0, text.length - over));
    shown.set(section, shorter);
    over -= text.length - shorter.length;
  }
  const fitted = present.map((section) => ({ ...section, text: shown.get(section) ?? "", of: section.text.length }));
  return {
    sections: fitted.filter(({ text }) => text !== ""),
    cut: fitted.flatMap(({ part, text, of }) => (text.length < of ? [{ part, shown: text.length, of }] : [])),
  };
}

/** A line is cut within itself only if at least this much of it fits. */
const LEAST_PART = 100;

/**
 * The first lines of a text that fit, then a mark of the cut. A too long first line is cut itself;
 * "" when almost nothing of it would fit.
 */
export function cutAtLine(text: string, most: number): string {
  if (text.length <= most) return text;
  const budget = most - MORE.length - 1;
  const end = text.lastIndexOf("\n", budget);
  if (end > 0 && budget > 0) return `${text.slice(0, end)}\n${MORE}`;
  return budget < LEAST_PART ? "" : `${cutText(text, budget).trimEnd()}\n${MORE}`;
}
