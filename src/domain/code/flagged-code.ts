// The code that findings of other pull requests were about, as token hashes, so that it is recognised wherever it
// reappears.

import type { Category, Severity } from "../finding.ts";
import type { CodeShape } from "./code-fingerprint.ts";

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
 * The lookup key of code, made from its first tokens. Code shorter than six tokens adds the tokens after it.
 *
 * @returns 0 … 2^32 − 1; null when there is no code, or too little to look up
 */
export function shapeKey({ at, after }: Pick<CodeShape, "at" | "after">): number | null {
  return at.length === 0 ? null : keyAt([...at.slice(0, KEY_TOKENS), ...after.slice(0, KEY_TOKENS)], 0);
}

/** The same key for the tokens from `from` on; null when fewer than six are left. */
export function keyAt(tokens: readonly number[], from: number): number | null {
  if (from + KEY_TOKENS > tokens.length) return null;
  let value = 0x811c9dc5;
  for (let at = from; at < from + KEY_TOKENS; at++) {
    const token = tokens[at] ?? 0;
    value = Math.imul(value ^ (token & 0xffff), 0x01000193);
    value = Math.imul(value ^ (token >>> 16), 0x01000193);
  }
  return value >>> 0;
}
