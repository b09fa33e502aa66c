// Locates a model's finding: by anchor, else by a quote that occurs once in the file's diff, else
// on the file. A place is proven or not used; nothing is moved to a nearby line.
import { createHash } from "node:crypto";
import type { LocMethod } from "../../domain/finding.ts";
import type { DiffLine, FileDiff, Side } from "../../domain/pull-request.ts";
import { revealLine } from "../../domain/text/untrusted-text.ts";
import type { DraftedFinding } from "../reply.ts";

type Citation = Pick<DraftedFinding, "anchor" | "endAnchor" | "quote">;

export interface Located {
  readonly side: Side;
  /** 1-based, inclusive, in one hunk. Both 1 when the place is unknown. */
  readonly startLine: number;
  readonly line: number;
  readonly method: LocMethod;
}

/** Marks a cut line. */
export const CUT_MARK = "…(cut)";

/** A longer comment would hide its subject. */
const MOST_LINES = 30;
/** A short quote with fewer letters and digits ("}", "end") proves no place. */
const LEAST_QUOTED = 6;
const ENOUGH_LINES = 3;

/**
 * Finds the place that a citation proves. An invented hash passes once in 65,536; when a long quote
 * occurs once, and elsewhere, the two contradict each other and prove nothing.
 *
 * @returns `method` is `none` when no place is proven
 */
export function locate(citation: Citation, lines: DiffLines): Located {
  const anchored = byAnchor(citation, lines);
  if (anchored === null) return byQuote(citation, lines) ?? NOWHERE;
  if (quotedLines(citation.quote).length < ENOUGH_LINES) return anchored;
  const quoted = byQuote(citation, lines);
  // A quote of removed lines and an anchor of their replacement do not contradict each other.
  if (quoted === null || anchored.side !== quoted.side) return anchored;
  return quoted.startLine <= anchored.line && anchored.startLine <= quoted.line ? anchored : NOWHERE;
}

/** The place of a finding that none is proven for. */
export const NOWHERE: Located = { side: "RIGHT", startLine: 1, line: 1, method: "none" };

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
  const line = anchor === null ? null : lines.at(anchor.side, anchor.line);
  return line !== null && lineHash(lines.path, line.side, line.line, line.raw) === anchor?.hash ? line : null;
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
    if (only !== undefined) return only;
  }
  return null;
}

/** Exact matches, else with white space folded; on the first side that has any. */
function matchesOf(quoted: readonly string[], lines: DiffLines, sides: readonly Side[]): readonly Located[] {
  for (const spaces of ["trimmed", "folded"] as const) {
    for (const side of sides) {
      const found = occurrences(lines, quoted, spaces, side);
      if (found.length > 0) return found;
    }
  }
  return [];
}

/** As written; without empty ends; without diff markers when every line begins with one. */
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
function occurrences(lines: DiffLines, quoted: readonly string[], spaces: Spaces, side: Side): readonly Located[] {
  const found: Located[] = [];
  for (const { first, run, at } of candidates(lines, quoted[0] ?? "", spaces)) {
    const last = run[at + quoted.length - 1];
    if (first.side !== side || last === undefined || !matchesAt(run, at, quoted, spaces)) continue;
    found.push({ side, startLine: first.line, line: last.line, method: "quote" });
    if (found.length === 2) break;
  }
  return found;
}

/** Only the beginning of a cut line is known, so every line is a candidate. */
function candidates(lines: DiffLines, first: string, spaces: Spaces): readonly Start[] {
  return first.endsWith(CUT_MARK) ? startsOf(lines.runs) : lines.starting(first, spaces);
}

function matchesAt(run: readonly QuotableLine[], from: number, quoted: readonly string[], spaces: Spaces): boolean {
  return quoted.every((line, index) => {
    const actual = run[from + index];
    if (actual === undefined) return false;
    if (line.endsWith(CUT_MARK)) return actual.text.startsWith(line.slice(0, -CUT_MARK.length));
    return keyOf(actual, spaces) === sameText(line, spaces);
  });
}

function quotedLines(quote: string): readonly string[] {
  const lines = quote.replace(/\r\n?/g, "\n").split("\n", MOST_LINES + 2);
  return lines.map((line) => line.replace(/^\s{0,8}-?\d{1,9}#[0-9a-f]{4}:[-+ ]?/i, ""));
}

function withoutEmptyEnds(lines: readonly string[]): readonly string[] {
  const isFull = (line: string) => line.trim() !== "";
  return lines.slice(Math.max(0, lines.findIndex(isFull)), lines.findLastIndex(isFull) + 1);
}

/** A line that a quote can match. */
export interface QuotableLine {
  readonly side: Side;
  readonly line: number;
  /** As in the diff. */
  readonly raw: string;
  /** As the model saw it. */
  readonly text: string;
  /** With white space folded: quotes are compared in this form. */
  readonly folded: string;
  readonly hunk: number;
  /** Context lines are on the RIGHT side and unchanged. */
  readonly changed: boolean;
}

/** The lines of one file's diff, indexed by place and by text. */
export interface DiffLines {
  readonly path: string;
  /** Added and context lines of the head, and removed ones of the base; null for any other. */
  at(side: Side, line: number): QuotableLine | null;
  /** Per hunk and side: consecutive lines, in order. */
  readonly runs: readonly (readonly QuotableLine[])[];
  /** The lines with this text. The index is built on first use. */
  starting(text: string, spaces: Spaces): readonly Start[];
}

/** How texts are compared: without trailing white space, or with all white space folded. */
type Spaces = "trimmed" | "folded";

interface Start {
  readonly first: QuotableLine;
  readonly run: readonly QuotableLine[];
  readonly at: number;
}

function sameText(text: string, spaces: Spaces): string {
  return spaces === "trimmed" ? text.trimEnd() : text.replace(/\s+/g, " ").trim();
}

function keyOf({ text, folded }: QuotableLine, spaces: Spaces): string {
  return spaces === "folded" ? folded : sameText(text, spaces);
}

/** Indexes a file's diff. */
export function diffLines({ path, hunks }: FileDiff): DiffLines {
  const all = hunks.flatMap(({ lines }, hunk) => lines.flatMap((line) => quotable(line, hunk)));
  const byPlace = new Map(all.map((one) => [`${one.side} ${one.line}`, one]));
  const runs = [...Map.groupBy(all, ({ hunk, side }) => `${hunk} ${side}`).values()];
  const indexes = new Map<Spaces, ReadonlyMap<string, readonly Start[]>>();
  return {
    path,
    at: (side, line) => byPlace.get(`${side} ${line}`) ?? null,
    runs,
    starting(text, spaces) {
      const index = indexes.get(spaces) ?? Map.groupBy(startsOf(runs), ({ first }) => keyOf(first, spaces));
      indexes.set(spaces, index);
      return index.get(sameText(text, spaces)) ?? [];
    },
  };
}

function startsOf(runs: DiffLines["runs"]): readonly Start[] {
  return runs.flatMap((run) => run.map((first, at) => ({ first, run, at })));
}

function quotable({ kind, oldLine, newLine, text: raw }: DiffLine, hunk: number): readonly QuotableLine[] {
  const side = kind === "removed" ? "LEFT" : "RIGHT";
  const line = side === "LEFT" ? oldLine : newLine;
  if (line === null) return [];
  const text = revealLine(raw);
  return [{ side, line, raw, text, folded: sameText(text, "folded"), hunk, changed: kind !== "context" }];
}

/**
 * What a model copies to cite a line: its number, `#`, and a hash over path, side, number and text.
 * A number alone is often off by one; with the hash it is right or known to be wrong.
 *
 * @param line 1-based
 * @param text as in the diff, without marker and line ending
 * @returns `120#3fa1`, or `-119#77aa` on the LEFT side
 */
export function anchorOf(path: string, side: Side, line: number, text: string): string {
  return `${side === "LEFT" ? "-" : ""}${line}#${lineHash(path, side, line, text)}`;
}

/** Hex digits: an invented hash passes once in 65,536. */
const HASH_DIGITS = 4;

function lineHash(path: string, side: Side, line: number, text: string): string {
  return createHash("sha256").update(`${path}\0${side}\0${line}\0${text}`).digest("hex").slice(0, HASH_DIGITS);
}

/**
 * Parses an anchor in the notations that models use: `L120#3fa1:`, "`-119#77AA`".
 *
 * @returns null when there is none; `line` is 1-based, `hash` 4 lower-case hex digits
 */
export function parseAnchor(text: string) {
  const match = /^[\s`"'[(]{0,4}([-+]?)[Ll]?(\d{1,9})\s?#\s?([0-9A-Fa-f]{4})(?![0-9A-Fa-f])/.exec(text);
  if (match === null) return null;
  const side: Side = match[1] === "-" ? "LEFT" : "RIGHT";
  return { side, line: Number(match[2]), hash: (match[3] ?? "").toLowerCase() };
}
