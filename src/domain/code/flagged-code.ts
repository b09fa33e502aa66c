// The code that findings of other pull requests were about, as token hashes: known again wherever it comes back.

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
  /** Epoch milliseconds at which it was said. */
  readonly at: number;
  /** When its code was seen to be no longer as it was, in epoch milliseconds; null while it was not. */
  readonly fixedAt: number | null;
}

/** Tokens by which code is looked up before it is compared: few enough for short lines, enough to be rare. */
const KEY_TOKENS = 6;

/**
 * The number under which code is looked up, from its first tokens; code shorter than six tokens takes what follows it
 * along.
 *
 * @returns 0 … 2^32 − 1; null where nothing stands, or too little to look up
 */
export function shapeKey({ at, after }: Pick<CodeShape, "at" | "after">): number | null {
  return at.length === 0 ? null : keyAt([...at.slice(0, KEY_TOKENS), ...after.slice(0, KEY_TOKENS)], 0);
}

/** The same number of the tokens from `from` on; null where fewer than six are left. */
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
