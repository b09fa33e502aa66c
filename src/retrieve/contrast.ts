// Is code nearer to what a reviewer flagged, or to what it became? Code that was flagged and its fix are much alike, so
// likeness to the one says little; the difference of the two likenesses says which of them it is.
import { textTokens } from "../domain/code-shape.ts";

/** Code that was flagged, and what stood there when it was fixed. */
export interface FixPair {
  readonly flagged: string;
  readonly fixed: string;
}

/** How alike two pieces of code are, 0–1: 1 for the same, whatever its formatting. */
export type CodeLikeness = (a: string, b: string) => number;

/** Tokens in a row that are compared as one. */
const LONGEST_SHINGLE = 3;
/** Characters of a piece of code: as much as a memory keeps. */
const MOST_CHARS = 4_000;

/**
 * Likeness to the flagged code minus likeness to its fix: above 0 the flagged code is nearer, below 0 the fix is.
 *
 * @param code of a change; only its formatting is of no account
 * @param alike another likeness than that of tokens, such as a cosine of vectors
 * @returns −1…1; 0 also when flagged and fixed are the same, or the code is like neither
 */
export function contrast(code: string, { flagged, fixed }: FixPair, alike: CodeLikeness = codeLikeness): number {
  return alike(code, flagged) - alike(code, fixed);
}

/**
 * How much of their shingles two pieces of code share: runs of one, two and three tokens as they stand, each length
 * counting the same, repeats too (Jaccard over bags).
 */
export function codeLikeness(a: string, b: string): number {
  const [left, right] = [tokensOf(a), tokensOf(b)];
  let sum = 0;
  for (let length = 1; length <= LONGEST_SHINGLE; length += 1)
    sum += overlap(shingles(left, length), shingles(right, length));
  return sum / LONGEST_SHINGLE;
}

function tokensOf(code: string): readonly number[] {
  return textTokens(code.slice(0, MOST_CHARS));
}

/** Runs of so many tokens, counted. A text that is shorter is one run. */
function shingles(tokens: readonly number[], length: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const last = Math.max(0, tokens.length - length);
  for (let at = 0; at <= last && tokens.length > 0; at += 1) {
    const key = tokens.slice(at, at + length).join(" ");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Shared over all, 0–1; two empty bags share nothing. */
function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let [shared, all] = [0, 0];
  for (const [key, count] of a) {
    shared += Math.min(count, b.get(key) ?? 0);
    all += Math.max(count, b.get(key) ?? 0);
  }
  for (const [key, count] of b) if (!a.has(key)) all += count;
  return all === 0 ? 0 : shared / all;
}
