// What two texts have in common, compared as sorted numbers: of words, or of runs of tokens.
import { fnv1a } from "./hash.ts";

/** Runs of letters, digits and underscores, in order, as they are written. */
export function plainWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Hashes of words, ascending, each once. */
export function distinctWords(words: readonly string[]): Uint32Array {
  return Uint32Array.from(new Set(words.map(fnv1a))).sort();
}

/**
 * |A ∩ B| / |A ∪ B|, 0–1; 1 for two empty bags.
 *
 * @param a numbers, ascending; one that occurs twice counts twice; so `b`
 * @param least a smaller share may be given as 0: most bags differ too much in size to share more
 */
export function jaccard(a: Uint32Array, b: Uint32Array, least = 0): number {
  const most = Math.max(a.length, b.length);
  if (most === 0) return 1;
  if (Math.min(a.length, b.length) / most < least) return 0;
  let [common, at, to] = [0, 0, 0];
  while (at < a.length && to < b.length) {
    const [one = 0, other = 0] = [a[at], b[to]];
    if (one === other) common += 1;
    if (one <= other) at += 1;
    if (other <= one) to += 1;
  }
  return common / (a.length + b.length - common);
}
