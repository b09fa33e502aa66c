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

/** FNV-1a over UTF-16 units, 32 bits: quick, and spreads texts that differ in one character. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
