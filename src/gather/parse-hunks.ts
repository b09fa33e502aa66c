// Parses the text from the first `@@` on into hunks. jsdiff does the counting; this corrects what
// it loses or forgives: the text after the second @@, the starts of empty ranges, wrong counts, a
// mail signature, lines cut to a bare CR.
import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from "diff";
import type { DiffLine, Hunk } from "../domain/pull-request.ts";

/** Why hunks could not be read: one sentence fragment, without any text of the diff. */
interface BadHunks {
  readonly reason: string;
}

/** One file of a parsed diff; names are as printed, `undefined` without a header. */
export interface ParsedFile {
  readonly oldName: string | undefined;
  readonly newName: string | undefined;
  readonly hunks: readonly Hunk[];
}

const HEADER = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@/;

/**
 * Parses hunks that belong to one file.
 *
 * @param body starts with `@@ `; text after the last hunk is ignored
 */
export function parseHunks(body: string): readonly Hunk[] | BadHunks {
  const files = parsePlain(body);
  if ("reason" in files) return files;
  const [only, second] = files.filter((file) => file.hunks.length > 0);
  return second === undefined ? (only?.hunks ?? []) : { reason: "a second file begins where a hunk was expected" };
}

/**
 * Parses a text without git's headers: bare `---`/`+++` files, with prose between them.
 *
 * @returns the files in order, including those without hunks
 */
export function parsePlain(text: string): readonly ParsedFile[] | BadHunks {
  const whole = attempt(text);
  if (!("reason" in whole)) return whole;
  for (const fix of FIXES) {
    const fixed = fix(text);
    const files = fixed === text ? whole : attempt(fixed);
    if (!("reason" in files)) return files;
  }
  return whole;
}

/** Repairs of harmless damage, tried only when the text does not parse unchanged. */
const FIXES: readonly ((text: string) => string)[] = [withoutSignature, withSpaces];

/** `git format-patch` signs mails with "-- " and its version, which looks like a removed line. */
function withoutSignature(text: string): string {
  const at = Math.max(text.lastIndexOf("\n-- \n"), text.lastIndexOf("\n-- \r\n"));
  return at < 0 ? text : text.slice(0, at + 1);
}

/** Mail programs drop the space of an empty context line; with CRLF a bare CR is left. */
function withSpaces(text: string): string {
  const everySecond = text.replaceAll("\n\r\n", "\n \r\n");
  return everySecond.replaceAll("\n\r\n", "\n \r\n");
}

function attempt(text: string): readonly ParsedFile[] | BadHunks {
  let patches: readonly StructuredPatch[];
  try {
    patches = parsePatch(text);
  } catch {
    // Its message quotes the diff, which may be a megabyte of text by others.
    return { reason: "the lines of a hunk do not agree with the counts in its header" };
  }
  // One per hunk, because no line inside a hunk can start so.
  const headers = text.matchAll(/(?:^|\n)(@@ [^\n]*)/g);
  const files: ParsedFile[] = [];
  for (const patch of patches) {
    const hunks: Hunk[] = [];
    for (const raw of patch.hunks) {
      const hunk = readHunk(raw, headers.next().value?.[1] ?? "");
      if (hunk === null) return { reason: "the header of a hunk is malformed" };
      hunks.push(hunk);
    }
    files.push({ oldName: patch.oldFileName, newName: patch.newFileName, hunks });
  }
  return files;
}

function readHunk(raw: StructuredPatchHunk, header: string): Hunk | null {
  const match = HEADER.exec(header);
  if (match === null) return null;
  const oldStart = Number(match[1]);
  const newStart = Number(match[3]);
  // jsdiff reads a count of 1 without a line as 0, which is right for "-0 +1,3" only.
  if (raw.oldLines !== declared(oldStart, match[2], raw.oldLines)) return null;
  if (raw.newLines !== declared(newStart, match[4], raw.newLines)) return null;
  const section = header.slice(match[0].length).replace(/^ /, "").replace(/\r$/, "");
  const { oldLines, newLines } = raw;
  return { oldStart, oldLines, newStart, newLines, section, lines: readLines(raw.lines, oldStart, newStart) };
}

function declared(start: number, count: string | undefined, counted: number): number {
  if (count !== undefined) return Number(count);
  return start === 0 && counted === 0 ? 0 : 1;
}

function readLines(raw: readonly string[], oldStart: number, newStart: number): DiffLine[] {
  const lines: DiffLine[] = [];
  let oldLine = oldStart;
  let newLine = newStart;
  for (const line of raw) {
    const text = line.slice(1);
    if (line.startsWith("+")) lines.push({ kind: "added", oldLine: null, newLine: newLine++, text });
    else if (line.startsWith("-")) lines.push({ kind: "removed", oldLine: oldLine++, newLine: null, text });
    // "\ No newline at end of file" is about the line before it and is no line itself.
    else if (!line.startsWith("\\")) lines.push({ kind: "context", oldLine: oldLine++, newLine: newLine++, text });
  }
  return lines;
}
