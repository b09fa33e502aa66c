// Code in the form in which pushes are compared: its tokens without formatting. Each token is
// stored as a number, so that a finding can be remembered without storing anyone's code.

import type { Category, Severity } from "../finding.ts";
import { firstNotBefore } from "../first-not-before.ts";
import { FNV_START, fnv1a, fnvStep } from "../text/hash.ts";

/** A line with its number in the file. */
export interface NumberedLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** Tokens of consecutive lines; `lines[i]` is the line of `tokens[i]`. */
export interface TokenStream {
  readonly tokens: readonly number[];
  readonly lines: readonly number[];
}

/** The tokens of some lines and of the code around them. */
export interface CodeShape {
  readonly before: readonly number[];
  readonly at: readonly number[];
  readonly after: readonly number[];
}

/** Tokens stored of the lines themselves, and on either side of them. */
export const MOST_AT = 400;
const AROUND = 24;
/** Tokens read from one file; the rest is not compared. */
const MOST_TOKENS = 200_000;

/**
 * The tokens of lines without what formatters change: white space, line breaks, quotes, commas,
 * semicolons, parentheses and backslashes. Everything else is a word (letters, digits, `_`, `$`) or
 * a single character.
 *
 * @param lines in order; linear in their length
 */
export function tokenStream(lines: Iterable<NumberedLine>): TokenStream {
  const tokens: number[] = [];
  const numbers: number[] = [];
  for (const { line, text } of lines) {
    if (tokens.length >= MOST_TOKENS) break;
    for (const [token] of text.matchAll(/[\p{L}\p{N}_$]+|[^\s"'`,;()\\\p{L}\p{N}_$]/gu)) {
      tokens.push(fnv1a(token));
      numbers.push(line);
      if (tokens.length >= MOST_TOKENS) break;
    }
  }
  return { tokens, lines: numbers };
}

/** The tokens of a whole text, each with its line. */
export function textStream(text: string): TokenStream {
  return tokenStream(text.split("\n").map((line, index) => ({ line: index + 1, text: line })));
}

/** The tokens of a text of several lines. */
export function textTokens(text: string): readonly number[] {
  return textStream(text).tokens;
}

/** The shape of lines startLine…line (1-based, inclusive); `at` is empty without tokens. */
export function shapeOf({ tokens, lines }: TokenStream, startLine: number, line: number): CodeShape {
  const first = firstNotBefore(lines, (at) => at, startLine);
  if (first === lines.length) return { before: tokens.slice(-AROUND), at: [], after: [] };
  const end = Math.max(
    first,
    firstNotBefore(lines, (at) => at, line + 1),
  );
  return {
    before: tokens.slice(Math.max(0, first - AROUND), first),
    at: tokens.slice(first, Math.min(end, first + MOST_AT)),
    after: tokens.slice(end, end + AROUND),
  };
}

/** A finding in memory with the code that it was about. */
export interface Flagged {
  readonly memoryId: string;
  readonly pull: number;
  readonly path: string;
  readonly category: Category;
  readonly severity: Severity;
  readonly rule: string | null;
  /** Its title: untrusted text. */
  readonly title: string;
  readonly shape: CodeShape;
  readonly url: string | null;
  /** Epoch milliseconds of the finding. */
  readonly at: number;
  /** Epoch milliseconds at which its code was first seen changed; null while it is unchanged. */
  readonly fixedAt: number | null;
}

/** Tokens in the lookup key: few enough for short lines, enough to be rare. */
const KEY_TOKENS = 6;

/**
 * The lookup key of code, made from its first tokens. Code shorter than six tokens adds the tokens
 * after it.
 *
 * @returns 0 … 2^32 − 1; null when there is no code, or too little to look up
 */
export function shapeKey({ at, after }: Pick<CodeShape, "at" | "after">): number | null {
  return at.length === 0 ? null : keyAt([...at.slice(0, KEY_TOKENS), ...after.slice(0, KEY_TOKENS)], 0);
}

/** The same key for the tokens from `from` on; null when fewer than six are left. */
export function keyAt(tokens: readonly number[], from: number): number | null {
  return from + KEY_TOKENS > tokens.length ? null : runKey(tokens, from, KEY_TOKENS);
}

/** A hash of `length` tokens from `from` on, 0 … 2^32 − 1. */
export function runKey(tokens: readonly number[], from: number, length: number): number {
  let key = FNV_START;
  for (let at = from; at < from + length; at++) {
    const token = tokens[at] ?? 0;
    key = fnvStep(fnvStep(key, token & 0xffff), token >>> 16);
  }
  return key;
}
