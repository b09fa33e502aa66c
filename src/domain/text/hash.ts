// Hashes of texts.
import { createHash } from "node:crypto";

/** The first hexadecimal digits of SHA-256. */
export function shortHash(text: string, digits = 12): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}

/** JSON with sorted object keys, so that equal values have equal hashes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The hash of an empty text: where `fnvStep` begins. */
export const FNV_START = 0x811c9dc5;

/**
 * FNV-1a over UTF-16 units (isthe.com/chongo/tech/comp/fnv): quick, and spreads texts that differ
 * in one character.
 *
 * @returns 32 bits, 0 … 2^32 − 1
 */
export function fnv1a(text: string): number {
  let hash = FNV_START;
  for (let at = 0; at < text.length; at += 1) hash = fnvStep(hash, text.charCodeAt(at));
  return hash;
}

/** One unit of FNV-1a, for readers that hash while they scan. */
export function fnvStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193) >>> 0;
}
