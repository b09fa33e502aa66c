// What was flagged and what it became, as a memory keeps it: a few lines each, without secrets. By both together memory knows
// later that a change holds the fix and not what was flagged.
import { type CodeShape, tokenStream } from "../domain/code-shape.ts";
import { findAgain } from "../domain/find-again.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { changedLines, type HeadLine, type LineSpan, textIn } from "./changed-lines.ts";
import type { Redact } from "./redact-record.ts";

/** Each at most as long as any piece of code that is kept. */
export type FixPair = Required<Pick<MemoryRecord, "flaggedCode" | "fixedCode">>;

/** Lines around a piece that are redacted with it: a secret of several lines is known by all of them. */
const AROUND = 40;
/** Lines beside the finding that its place is told by. */
const BESIDE = 45;
/** Lines of the later text that the finding may have moved by. */
const MOVED = 950;
const MAX_PIECE = 4_000;

/** Code that a finding was about, and both texts of its file. */
export interface FlaggedText {
  readonly shape: CodeShape;
  /** 1-based, about where it stood. */
  readonly near: number;
  /** The file as it was spoken about, and as it is now. */
  readonly then: string;
  readonly now: string;
}

/** @returns null where the code is not found then, or nothing that it became is found now */
export async function fixOfFinding({ shape, near, then, now }: FlaggedText, redact: Redact): Promise<FixPair | null> {
  const [before, after] = [linesOf(then), linesOf(now)];
  const stream = tokenStream(before.map(({ text }, index) => ({ line: index + 1, text })));
  const found = findAgain(shape, stream, near);
  if (found === null) return null;
  const from = Math.max(0, found.startLine - 1 - BESIDE);
  const first = Math.max(0, found.startLine - MOVED);
  const [old, later] = [before.slice(from, found.line + BESIDE), after.slice(first, found.line + MOVED)];
  return pairOf(old, later, { from: found.startLine - 1 - from, to: found.line - from }, redact);
}

/**
 * @param hunk GitHub's `diff_hunk`: it ends at the line that was spoken about
 * @param patch of the same file at the pull request's last head
 */
export async function fixOfComment(hunk: string, patch: string, redact: Redact): Promise<FixPair | null> {
  const then = headLines(hunk);
  // Prose and context are rarely what was asked to be changed.
  if (then.at(-1)?.isAdded !== true) return null;
  for (const now of hunksOf(patch)) {
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
  const [flaggedCode, fixedCode] = [
    await pieceOf(then, spans.flagged, redact),
    await pieceOf(now, spans.fixed, redact),
  ];
  return flaggedCode === null || fixedCode === null ? null : { flaggedCode, fixedCode };
}

/** Redacted with what stands around it, and cut afterwards, so that no half of a secret is left over; null for what is too long. */
async function pieceOf(lines: readonly HeadLine[], { from, to }: LineSpan, redact: Redact): Promise<string | null> {
  const first = Math.max(0, from - AROUND);
  const text = await redact(textIn(lines, { from: first, to: to + AROUND }));
  const piece = text
    .split("\n")
    .slice(from - first, to - first)
    .join("\n");
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

function hunksOf(patch: string): readonly string[] {
  return patch.split(/^@@ [^\n]*\n/m);
}
