// The known word that the author most likely meant.
import leven from "leven";

/** Longer words are not typos of ours, and the distance costs the product of the lengths. */
const MAX_LENGTH = 40;

/**
 * The nearest candidate, ignoring case, `_` and `-`; the first of equally near ones. Null when none
 * is near: one edit in words of up to 4 letters, two up to 8, three in longer ones.
 */
export function didYouMean(word: string, candidates: Iterable<string>): string | null {
  if (word.length > MAX_LENGTH) return null;
  const meant = plainWord(word);
  let best: string | null = null;
  let least = meant.length <= 4 ? 2 : meant.length <= 8 ? 3 : 4;
  for (const candidate of candidates) {
    const distance = leven(meant, plainWord(candidate), { maxDistance: least });
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Lower case, without `_` and `-`: the form in which spellings are compared. */
export function plainWord(word: string): string {
  return word.toLowerCase().replace(/[_-]/g, "");
}
