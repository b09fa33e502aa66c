// Breaks ties without favouring the first list, the oldest memory, or the alphabet.

/**
 * Compares two scored things: higher score first; equal scores by a hash of the id, so that the order is the same on
 * every machine and independent of where a candidate came from.
 */
export function byScore(
  a: { readonly id: string; readonly score: number },
  b: { readonly id: string; readonly score: number },
): number {
  return b.score - a.score || tieHash(a.id) - tieHash(b.id) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** FNV-1a over UTF-16 units, 32 bits: quick, and spreads ids that differ in one digit. */
export function tieHash(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
