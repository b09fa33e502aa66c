// Locates a model's finding: by anchor, else by a quote that occurs once in the file's diff, else on the file as a
// whole. A place is proven or not used; nothing is ever moved to a nearby line.
import type { LocMethod } from "../../domain/finding.ts";
import type { Side } from "../../domain/pull-request.ts";
import { CUT_MARK } from "../reading/draw-file.ts";
import { parseAnchor } from "./anchor.ts";
import { type DiffLines, type QuotableLine, type Spaces, type Start, sameText } from "./diff-lines.ts";

/** The place as the model cited it. */
interface Citation {
  readonly anchor: string;
  readonly endAnchor: string | null;
  readonly quote: string;
}

export interface Located {
  readonly side: Side;
  /** 1-based, inclusive, in one hunk. Both 1 when the place is unknown. */
  readonly startLine: number;
  readonly line: number;
  readonly method: LocMethod;
}

/** A longer comment would hide its subject. */
const MOST_LINES = 30;
/** A short quote with fewer letters and digits ("}", "end") proves no place. */
const LEAST_QUOTED = 6;
const ENOUGH_LINES = 3;

/**
 * Finds the place that a citation proves. An invented hash passes once in 65,536; so when a long quote occurs once, and
 * elsewhere, the two contradict each other and prove nothing.
 *
 * @returns `method` is `none` when no place is proven
 */
export function locate(citation: Citation, lines: DiffLines): Located {
  const anchored = byAnchor(citation, lines);
  if (anchored === null) return byQuote(citation, lines) ?? NOWHERE;
  if (quotedLines(citation.quote).length < ENOUGH_LINES) return anchored;
  const quoted = byQuote(citation, lines);
  return quoted === null || meet(anchored, quoted) ? anchored : NOWHERE;
}

/** The place of a finding that none is proven for. */
export const NOWHERE: Located = { side: "RIGHT", startLine: 1, line: 1, method: "none" };

/** A quote of removed lines and an anchor of their replacement do not contradict each other. */
function meet(anchored: Located, quoted: Located): boolean {
  if (anchored.side !== quoted.side) return true;
  return quoted.startLine <= anchored.line && anchored.startLine <= quoted.line;
}

function byAnchor({ anchor, endAnchor, quote }: Citation, lines: DiffLines): Located | null {
  const start = proven(anchor, lines);
  if (start === null) return null;
  // One line, as the instructions say: further quoted lines only prove the place.
  if (endAnchor === null) return { side: start.side, startLine: start.line, line: start.line, method: "anchor" };
  const end = proven(endAnchor, lines);
  const spans = end !== null && end.side === start.side && end.hunk === start.hunk && end.line >= start.line;
  const last = spans && end.line - start.line < MOST_LINES ? end.line : quotedEnd(start, quote, lines);
  return { side: start.side, startLine: start.line, line: last, method: "anchor" };
}

function proven(text: string, lines: DiffLines): QuotableLine | null {
  const anchor = parseAnchor(text);
  if (anchor === null || !lines.proves(anchor.side, anchor.line, anchor.hash)) return null;
  return lines.at(anchor.side, anchor.line);
}

/** When the end anchor proves nothing, the finding reaches as far as its quote matches the diff. */
function quotedEnd(start: QuotableLine, quote: string, lines: DiffLines): number {
  const quoted = withoutEmptyEnds(quotedLines(quote));
  const run = lines.runs.find((one) => one.includes(start)) ?? [];
  const from = run.indexOf(start);
  const agrees = quoted.length > 0 && quoted.length <= MOST_LINES && matchesAt(run, from, quoted, "folded");
  return agrees ? (run[from + quoted.length - 1]?.line ?? start.line) : start.line;
}

function byQuote({ anchor, quote }: Citation, lines: DiffLines): Located | null {
  // An anchor with a wrong hash still names a side; text on both sides is searched there first.
  const sides: readonly Side[] = parseAnchor(anchor)?.side === "LEFT" ? ["LEFT", "RIGHT"] : ["RIGHT", "LEFT"];
  for (const quoted of readings(quotedLines(quote))) {
    if (quoted.length === 0 || quoted.length > MOST_LINES || !saysEnough(quoted)) continue;
    const found = matchesOf(quoted, lines, sides);
    if (found.length > 1) return null;
    const [only] = found;
    if (only !== undefined) return { ...only, method: "quote" };
  }
  return null;
}

/** Exact matches, else with white space folded; on the first side that has any. */
function matchesOf(
  quoted: readonly string[],
  lines: DiffLines,
  sides: readonly Side[],
): readonly Omit<Located, "method">[] {
  for (const spaces of ["trimmed", "folded"] as const) {
    for (const side of sides) {
      const found = occurrences(lines, quoted, spaces, side);
      if (found.length > 0) return found;
    }
  }
  return [];
}

/**
 * As written, including possibly quoted empty lines at the ends; without them; and, when every line begins with a diff
 * marker, without the markers.
 */
function readings(quoted: readonly string[]): readonly (readonly string[])[] {
  const bare = withoutEmptyEnds(quoted);
  const marked = bare.every((line) => /^[-+ ]/.test(line)) && bare.some((line) => line[0] !== " ");
  const unmarked = marked ? [bare.map((line) => line.slice(1))] : [];
  return [...(bare.length === quoted.length ? [] : [quoted]), bare, ...unmarked];
}

function saysEnough(quoted: readonly string[]): boolean {
  return quoted.length >= ENOUGH_LINES || (quoted.join("").match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= LEAST_QUOTED;
}

/** At most two: it only matters whether a quote is unique. */
function occurrences(
  lines: DiffLines,
  quoted: readonly string[],
  spaces: Spaces,
  side: Side,
): readonly Omit<Located, "method">[] {
  const found: Omit<Located, "method">[] = [];
  for (const { run, at } of candidates(lines, quoted[0] ?? "", spaces)) {
    const first = run[at];
    const last = run[at + quoted.length - 1];
    if (first?.side !== side || last === undefined || !matchesAt(run, at, quoted, spaces)) continue;
    found.push({ side: first.side, startLine: first.line, line: last.line });
    if (found.length === 2) break;
  }
  return found;
}

/** Only the beginning of a cut line is known, so every line is a candidate. */
function candidates(lines: DiffLines, first: string, spaces: Spaces): readonly Start[] {
  if (!first.endsWith(CUT_MARK)) return lines.starting(first, spaces);
  return lines.runs.flatMap((run) => run.map((_, at) => ({ run, at })));
}

function matchesAt(run: readonly QuotableLine[], from: number, quoted: readonly string[], spaces: Spaces): boolean {
  return quoted.every((line, index) => {
    const actual = run[from + index];
    return actual !== undefined && agree(actual, line, spaces);
  });
}

function agree(actual: QuotableLine, quoted: string, spaces: Spaces): boolean {
  if (quoted.endsWith(CUT_MARK)) return actual.text.startsWith(quoted.slice(0, -CUT_MARK.length));
  if (spaces === "trimmed") return actual.text.trimEnd() === quoted.trimEnd();
  return actual.folded === sameText(quoted, "folded");
}

/** The quote's lines without copied anchors. */
function quotedLines(quote: string): readonly string[] {
  return quote
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .slice(0, MOST_LINES + 2)
    .map(withoutAnchor);
}

function withoutEmptyEnds(lines: readonly string[]): readonly string[] {
  const isFull = (line: string) => line.trim() !== "";
  return lines.slice(Math.max(0, lines.findIndex(isFull)), lines.findLastIndex(isFull) + 1);
}

function withoutAnchor(line: string): string {
  return line.replace(/^\s{0,8}-?\d{1,9}#[0-9a-f]{4}:[-+ ]?/i, "");
}
