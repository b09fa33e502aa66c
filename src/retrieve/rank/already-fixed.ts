// Detects memories about code that a change has in its fixed form: the warning does not apply.

import { runKey, textTokens } from "../../domain/code/code-fingerprint.ts";
import type { MemoryRecord } from "../../domain/memory.ts";
import type { FileDiff, Hunk } from "../../domain/pull-request.ts";
import { REDACTION_MARK } from "../../domain/text/cut-text.ts";
import { jaccard } from "../../domain/text/jaccard.ts";

export const NEARER_TO_FIX = "the code is nearer to its fix";

/** Hunks compared per memory: of its own file, or of other files, because code moves. */
const MOST_HUNKS = 40;

/**
 * @param files of the change
 * @returns whether the change has the memory's fix, not the flagged code; false without a pair
 */
export function fixedInChange(
  files: readonly FileDiff[],
): (record: Pick<MemoryRecord, "path" | "flaggedCode" | "fixedCode">) => boolean {
  const known = new Map<Hunk, readonly number[]>();
  const headTokens = (hunk: Hunk) => {
    const head = () => hunk.lines.flatMap(({ kind, text }) => (kind === "removed" ? [] : text)).join("\n");
    const tokens = known.get(hunk) ?? hunkTokens(head());
    known.set(hunk, tokens);
    return tokens;
  };
  return ({ path, flaggedCode, fixedCode }) => {
    if (!flaggedCode || !fixedCode) return false;
    const own = files.filter((file) => file.path === path || file.previousPath === path);
    const hunks = (own.length > 0 ? own : files).flatMap((file) => file.hunks).slice(0, MOST_HUNKS);
    return fixedAlready(hunks.map(headTokens), { flagged: flaggedCode, fixed: fixedCode });
  };
}

// Flagged code and its fix are similar: only the comparison of both similarities decides.

const REDACTION_MARKS = new RegExp(REDACTION_MARK, "g");

/** Flagged code, and the code that replaced it in the fix. */
export interface FixPair {
  readonly flagged: string;
  readonly fixed: string;
}

/** Consecutive tokens that are compared as one. */
const LONGEST_SHINGLE = 3;
/** Characters of a piece of code: as much as a memory stores. */
const MOST_CHARS = 4_000;
const HUNK_CHARS = 8_000;
const MOST_PLACES = 8;
/**
 * A hunk contains a fix when a part of it is at least this similar. The lowest of .3 to .5 that
 * cuts no more of 189 pieces of flagged code than .4 does (3), on the pairs of
 * eval/suites/contrast.ts.
 */
const HOLDS = 0.35;

/**
 * Similarity of two pieces of code, 0–1: the share of common shingles, which are runs of one, two
 * and three tokens, each length with the same weight, including repeats (Jaccard over bags).
 */
export function codeLikeness(a: string, b: string): number {
  return alikeTokens(tokensOf(a), tokensOf(b));
}

/** The input form of a hunk for `fixedAlready`. */
export function hunkTokens(hunk: string): readonly number[] {
  return tokensOf(hunk, HUNK_CHARS);
}

/**
 * Whether changed code contains the fix rather than the flagged code. A hunk with the flagged code
 * is never called fixed. Linear in the length of the hunks.
 *
 * @param hunks head sides of hunks
 */
export function fixedAlready(hunks: readonly (readonly number[])[], { flagged, fixed }: FixPair): boolean {
  const [before, after] = [tokensOf(flagged), tokensOf(fixed)];
  if (before.length === 0 || after.length === 0) return false;
  const nearest = (part: readonly number[]) => Math.max(0, ...hunks.map((hunk) => bestPlace(hunk, part)));
  const toFix = nearest(after);
  return toFix >= HOLDS && nearest(before) < toFix;
}

/** Similarity of the window of a text that shares most runs of tokens with `part`. */
function bestPlace(text: readonly number[], part: readonly number[]): number {
  const length = Math.min(LONGEST_SHINGLE, part.length);
  const places = new Map<number, number>();
  for (let at = 0; at + length <= part.length; at += 1) places.set(runKey(part, at, length), at);
  const votes = new Map<number, number>();
  const room = Math.max(0, text.length - part.length);
  for (let at = 0; at + length <= text.length; at += 1) {
    const found = places.get(runKey(text, at, length));
    if (found === undefined) continue;
    const from = Math.min(room, Math.max(0, at - found));
    votes.set(from, (votes.get(from) ?? 0) + 1);
  }
  const starts = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MOST_PLACES);
  return Math.max(0, ...starts.map(([from]) => alikeTokens(text.slice(from, from + part.length), part)));
}

function alikeTokens(left: readonly number[], right: readonly number[]): number {
  let sum = 0;
  for (let length = 1; length <= LONGEST_SHINGLE; length += 1)
    sum += jaccard(shingles(left, length), shingles(right, length));
  return sum / LONGEST_SHINGLE;
}

function tokensOf(code: string, most = MOST_CHARS): readonly number[] {
  // A redaction mark is one token, as the secret would be.
  return textTokens(code.slice(0, most).replaceAll(REDACTION_MARKS, "redacted"));
}

/** The runs of this many tokens by their keys, for `jaccard`. A shorter text is one run. */
function shingles(tokens: readonly number[], length: number): Uint32Array {
  const size = Math.min(length, tokens.length);
  const keys = new Uint32Array(size === 0 ? 0 : tokens.length - size + 1);
  for (let at = 0; at < keys.length; at += 1) keys[at] = runKey(tokens, at, size);
  return keys.sort();
}
