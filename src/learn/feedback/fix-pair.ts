// The flagged code and its fix, as a memory stores them: a few lines each, without secrets. With
// both, memory later recognises a change that contains the fix and not the flagged code.
import { diffArrays } from "diff";
import { type CodeShape, tokenStream } from "../../domain/code/code-fingerprint.ts";
import { relocateCode } from "../../domain/code/relocate-code.ts";
import type { MemoryRecord } from "../../domain/memory.ts";
import { distinctWords, jaccard, plainWords } from "../../domain/text/jaccard.ts";
import type { Redact } from "../remember/redact-record.ts";

/** Each at most as long as any stored piece of code. */
type FixPair = Required<Pick<MemoryRecord, "flaggedCode" | "fixedCode">>;

/** Lines around a piece that are redacted with it: a secret may have several lines. */
const AROUND = 40;
/** Lines beside the finding that locate it. */
const BESIDE = 45;
/** Lines by which the finding may have moved. */
const MOVED = 950;
const MAX_PIECE = 4_000;

/** The code of a finding, and both texts of its file. */
interface FlaggedText {
  readonly shape: CodeShape;
  /** 1-based, about where it was. */
  readonly near: number;
  /** The file at the time of the finding, and now. */
  readonly then: string;
  readonly now: string;
}

/** @returns null when the old text lacks the code, or the new one its replacement */
export async function fixOfFinding({ shape, near, then, now }: FlaggedText, redact: Redact): Promise<FixPair | null> {
  const [before, after] = [linesOf(then), linesOf(now)];
  const stream = tokenStream(before.map(({ text }, index) => ({ line: index + 1, text })));
  const found = relocateCode(shape, stream, near);
  if (found === null) return null;
  const from = Math.max(0, found.startLine - 1 - BESIDE);
  const first = Math.max(0, found.startLine - MOVED);
  const [old, later] = [before.slice(from, found.line + BESIDE), after.slice(first, found.line + MOVED)];
  return pairOf(old, later, { from: found.startLine - 1 - from, to: found.line - from }, redact);
}

/**
 * @param hunk GitHub's `diff_hunk`: it ends at the commented line
 * @param patch of the same file at the pull request's last head
 */
export async function fixOfComment(hunk: string, patch: string, redact: Redact): Promise<FixPair | null> {
  const then = headLines(hunk);
  // Comments rarely ask for changes in prose and context lines.
  if (then.at(-1)?.isAdded !== true) return null;
  for (const now of patch.split(/^@@ [^\n]*\n/m)) {
    const pair = await pairOf(then, headLines(now), null, redact);
    if (pair !== null) return pair;
  }
  return null;
}

async function pairOf(
  then: readonly HeadLine[],
  now: readonly HeadLine[],
  about: LineSpan | null,
  redact: Redact,
): Promise<FixPair | null> {
  const spans = changedLines(then, now, about);
  if (typeof spans === "string") return null;
  const flaggedCode = await pieceOf(then, spans.flagged, redact);
  const fixedCode = await pieceOf(now, spans.fixed, redact);
  return flaggedCode === null || fixedCode === null ? null : { flaggedCode, fixedCode };
}

/** Redacts, then cuts, so that no half of a secret is left; null when the piece is too long. */
async function pieceOf(lines: readonly HeadLine[], { from, to }: LineSpan, redact: Redact): Promise<string | null> {
  const first = Math.max(0, from - AROUND);
  const text = await redact(textIn(lines, { from: first, to: to + AROUND }));
  const piece = textIn(linesOf(text), { from: from - first, to: to - first });
  return piece.length > MAX_PIECE ? null : piece;
}

function linesOf(text: string): readonly HeadLine[] {
  return text.split("\n").map((line) => ({ text: line.replace(/\r$/, ""), isAdded: null }));
}

/** The head side of a hunk. */
export function headLines(hunk: string): readonly HeadLine[] {
  const lines = hunk.split("\n").filter((line) => /^[+ ]/.test(line));
  return lines.map((line) => ({ text: line.slice(1).replace(/\r$/, ""), isAdded: line.startsWith("+") }));
}

// Finds the replacement of commented lines by the unchanged lines around them.

/** A line of a file, from a diff or a text. */
export interface HeadLine {
  readonly text: string;
  /** Whether a diff adds it; null without a diff. */
  readonly isAdded: boolean | null;
}

/** Indices into the given lines; `to` is exclusive. */
interface LineSpan {
  readonly from: number;
  readonly to: number;
}

interface ChangedLines {
  readonly flagged: LineSpan;
  readonly fixed: LineSpan;
}

/** Lines of flagged code: a longer range is about more than its lines. */
const MOST_LINES = 8;
/** The replacement may be longer by this many lines. */
const MOST_GROWN = 2;
/** Unchanged lines required around the flagged ones, so that it is the same place. */
const ANCHORS = 2;
const ANCHOR_REACH = 6;
/** Least share of common words of two versions, 0–1: below it, other code took the place. */
const SAME_PLACE = 0.2;
/** Least words of each version. */
const LEAST_WORDS = 4;
/** Lines that are compared with each other. */
const MOST_THEN = 120;
const MOST_NOW = 2_000;

export const PLACE_UNKNOWN = "the place is not found later";

/**
 * @param then the lines at the time of the comment; the last 120 are read
 * @param now the later lines; the first 2,000 are read
 * @param about the commented lines; null for the end of `then`, as in GitHub's `diff_hunk`
 * @returns the pair, or why there is none
 */
export function changedLines(
  then: readonly HeadLine[],
  now: readonly HeadLine[],
  about: LineSpan | null,
): ChangedLines | string {
  const matched = commonLines(then, now);
  const found = about === null ? atTheEnd(then, now, matched) : between(then, now, matched, about);
  if (typeof found === "string") return found;
  const spans = { flagged: withoutBlank(then, found.flagged), fixed: withoutBlank(now, found.fixed) };
  const [before, after] = [textIn(then, spans.flagged), textIn(now, spans.fixed)];
  const [a, b] = [distinctWords(plainWords(before)), distinctWords(plainWords(after))];
  if (a.length < LEAST_WORDS || b.length < LEAST_WORDS) return "too few words";
  if (jaccard(a, b) < SAME_PLACE) return "other code in the same place";
  return before.replace(/\s+/g, "") === after.replace(/\s+/g, "") ? "only its form changed" : spans;
}

type Matched = readonly (readonly [number, number])[];

/**
 * Lines after the hunk are unknown: takes as many as were flagged and a few, or up to kept ones.
 */
function atTheEnd(then: readonly HeadLine[], now: readonly HeadLine[], matched: Matched): ChangedLines | string {
  const last = matched.at(-1);
  if (last === undefined) return PLACE_UNKNOWN;
  const flagged = { from: last[0] + 1, to: then.length };
  if (flagged.from === flagged.to) return "the line stands unchanged";
  const anchors = matched.filter(([at]) => at > last[0] - ANCHOR_REACH && isDistinctive(then[at]));
  if (flagged.to - flagged.from > MOST_LINES || anchors.length < ANCHORS) return PLACE_UNKNOWN;
  const from = last[1] + 1;
  const still = now.findIndex(({ isAdded }, at) => at >= from && isAdded === false);
  const room = from + flagged.to - flagged.from + MOST_GROWN;
  return { flagged, fixed: { from, to: Math.min(still < 0 ? now.length : still, room) } };
}

/** The lines between the nearest unchanged lines on either side. */
function between(
  then: readonly HeadLine[],
  now: readonly HeadLine[],
  matched: Matched,
  about: LineSpan,
): ChangedLines | string {
  const above = matched.findLast(([at]) => at < about.from) ?? [-1, -1];
  const below = matched.find(([at]) => at >= about.to) ?? [then.length, now.length];
  const matchedIn = (from: number, to: number) => matched.filter(([at]) => at >= from && at < to);
  if (matchedIn(about.from, about.to).length === about.to - about.from) return "the lines stand unchanged";
  const around = matchedIn(about.from - ANCHOR_REACH + 1, about.to + ANCHOR_REACH);
  const anchors = around.filter(([at]) => isDistinctive(then[at]));
  const flagged = { from: above[0] + 1, to: below[0] };
  const fixed = { from: above[1] + 1, to: below[1] };
  const lines = flagged.to - flagged.from;
  const isOther = lines > MOST_LINES || fixed.to - fixed.from > 2 * lines + MOST_GROWN;
  return isOther || anchors.length < ANCHORS ? PLACE_UNKNOWN : { flagged, fixed };
}

/** Drops blank lines at both ends. */
function withoutBlank(lines: readonly HeadLine[], { from, to }: LineSpan): LineSpan {
  let [first, end] = [from, to];
  while (first < end && lines[first]?.text.trim() === "") first += 1;
  while (end > first && lines[end - 1]?.text.trim() === "") end -= 1;
  return { from: first, to: end };
}

/** Index pairs of the lines that both have in order, without indentation and blank lines. */
function commonLines(a: readonly HeadLine[], b: readonly HeadLine[]): Matched {
  const left = a.slice(-MOST_THEN).map(({ text }) => text.trim());
  const right = b.slice(0, MOST_NOW).map(({ text }) => text.trim());
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [a.length - left.length, 0];
  const comparator = (one: string, other: string) => one === other && one !== "";
  for (const { count, added, removed } of diffArrays(left, right, { comparator })) {
    if (!added && !removed) for (let at = 0; at < count; at += 1) pairs.push([i + at, j + at]);
    if (!added) i += count;
    if (!removed) j += count;
  }
  return pairs;
}

/** The text of some lines. */
export function textIn(lines: readonly HeadLine[], { from, to }: LineSpan): string {
  return lines
    .slice(from, to)
    .map(({ text }) => text)
    .join("\n");
}

function isDistinctive(line: HeadLine | undefined): boolean {
  return (line?.text.match(/[\p{L}\p{N}]/gu) ?? []).length >= 4;
}
