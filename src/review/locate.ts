// Where a model's finding stands: by anchor, else by a quote that stands once in the file's diff, else on the file as a
// whole. A place is proven or it is not taken; nothing is ever moved to a near line.
import type { LocMethod } from "../domain/finding.ts";
import type { Side } from "../domain/pull-request.ts";
import { parseAnchor } from "./anchor.ts";
import type { DiffLines, QuotableLine } from "./diff-lines.ts";
import { CUT_MARK } from "./draw-file.ts";

/** What the model wrote about the place. */
export interface Citation {
  readonly anchor: string;
  readonly endAnchor: string | null;
  readonly quote: string;
}

export interface Located {
  readonly side: Side;
  /** 1-based, inclusive, in one hunk. Both 1 when the place is not known. */
  readonly startLine: number;
  readonly line: number;
  readonly method: LocMethod;
}

/** A comment over more lines hides what it is about. */
const MOST_LINES = 30;
/** A quote with fewer letters and digits ("}", "end") says nothing about where it stands. */
const LEAST_QUOTED = 6;

/** Finds the place that a citation proves. `method` is `none` when it proves none. */
export function locate(citation: Citation, lines: DiffLines): Located {
  return (
    byAnchor(citation, lines) ?? byQuote(citation, lines) ?? { side: "RIGHT", startLine: 1, line: 1, method: "none" }
  );
}

function byAnchor({ anchor, endAnchor, quote }: Citation, lines: DiffLines): Located | null {
  const start = proven(anchor, lines);
  if (start === null) return null;
  const end = endAnchor === null ? null : proven(endAnchor, lines);
  const spans = end !== null && end.side === start.side && end.hunk === start.hunk && end.line >= start.line;
  const last = spans && end.line - start.line < MOST_LINES ? end.line : quotedEnd(start, quote, lines);
  return { side: start.side, startLine: start.line, line: last, method: "anchor" };
}

function proven(text: string, lines: DiffLines): QuotableLine | null {
  const anchor = parseAnchor(text);
  if (anchor === null || !lines.proves(anchor.side, anchor.line, anchor.hash)) return null;
  return lines.at(anchor.side, anchor.line);
}

/** Without an end anchor the finding reaches as far as its quote agrees with what stands there. */
function quotedEnd(start: QuotableLine, quote: string, lines: DiffLines): number {
  const quoted = quotedLines(quote);
  const run = lines.runs.find((one) => one.includes(start)) ?? [];
  const from = run.indexOf(start);
  const agrees = quoted.length > 0 && quoted.length <= MOST_LINES && matchesAt(run, from, quoted, folded);
  return agrees ? (run[from + quoted.length - 1]?.line ?? start.line) : start.line;
}

function byQuote({ quote }: Citation, lines: DiffLines): Located | null {
  for (const quoted of readings(quotedLines(quote))) {
    if (quoted.length === 0 || quoted.length > MOST_LINES || !saysEnough(quoted)) continue;
    for (const same of [trimmedEnd, folded]) {
      const found = occurrences(lines, quoted, same);
      if (found.length > 1) return null;
      const [only] = found;
      if (only !== undefined) return { ...only, method: "quote" };
    }
  }
  return null;
}

/** As written; and where every line begins with a diff's marker, without the markers. */
function readings(quoted: readonly string[]): readonly (readonly string[])[] {
  const marked =
    quoted.length > 0 && quoted.every((line) => /^[-+ ]/.test(line)) && quoted.some((line) => line[0] !== " ");
  return marked ? [quoted, quoted.map((line) => line.slice(1))] : [quoted];
}

function saysEnough(quoted: readonly string[]): boolean {
  return (quoted.join("").match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= LEAST_QUOTED;
}

/** At most two: whether a quote stands once is all that matters. */
function occurrences(lines: DiffLines, quoted: readonly string[], same: Same): readonly Omit<Located, "method">[] {
  const found: Omit<Located, "method">[] = [];
  for (const run of lines.runs) {
    for (let from = 0; from + quoted.length <= run.length && found.length < 2; from++) {
      if (!matchesAt(run, from, quoted, same)) continue;
      const first = run[from];
      const last = run[from + quoted.length - 1];
      if (first !== undefined && last !== undefined) {
        found.push({ side: first.side, startLine: first.line, line: last.line });
      }
    }
  }
  return found;
}

type Same = (standing: string, quoted: string) => boolean;

function matchesAt(run: readonly QuotableLine[], from: number, quoted: readonly string[], same: Same): boolean {
  return (
    from >= 0 &&
    quoted.every((line, index) => {
      const standing = run[from + index];
      return standing !== undefined && same(standing.text, line);
    })
  );
}

function trimmedEnd(standing: string, quoted: string): boolean {
  return quoted.endsWith(CUT_MARK)
    ? standing.startsWith(quoted.slice(0, -CUT_MARK.length))
    : standing.trimEnd() === quoted.trimEnd();
}

function folded(standing: string, quoted: string): boolean {
  return fold(standing) === fold(quoted);
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The quote's lines without the anchors and markers that models copy along, and without empty lines at its ends. */
function quotedLines(quote: string): readonly string[] {
  const lines = quote
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .slice(0, MOST_LINES + 2)
    .map(withoutAnchor);
  while (lines.length > 0 && lines[0]?.trim() === "") lines.shift();
  while (lines.length > 0 && lines.at(-1)?.trim() === "") lines.pop();
  return lines;
}

function withoutAnchor(line: string): string {
  return line.replace(/^\s{0,8}-?\d{1,9}#[0-9a-f]{4}:[-+ ]?/i, "");
}
