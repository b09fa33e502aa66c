// Folds near-identical texts into the one that ranks highest.

import { distinctWords, jaccard, plainWords } from "../../domain/text/jaccard.ts";

/** Share of common words of duplicates: at .9 a sentence may differ in a word. */
const SAME_TEXT = 0.9;

export interface Foldable {
  readonly id: string;
  readonly text: string;
  /** Its label as an alternate source: `[finding: mem_0123]`. */
  readonly label: string;
}

/**
 * Folds near-identical texts.
 *
 * @param ordered best first; the first of several duplicates is kept
 * @param threshold over 0, at most 1
 * @returns the kept items, in order, with the labels of those folded into them; and the folds
 */
export function dedupe<T extends Foldable>(
  ordered: readonly T[],
  threshold: number = SAME_TEXT,
): { kept: { item: T; alternateSources: readonly string[] }[]; folded: { id: string; into: string }[] } {
  const kept: { item: T; words: Uint32Array; alternateSources: string[] }[] = [];
  const folded: { id: string; into: string }[] = [];
  for (const item of ordered) {
    const words = comparedWords(item.text);
    const same = kept.find(
      ({ item: other, words: others }) => other.id === item.id || jaccard(words, others, threshold) >= threshold,
    );
    if (same === undefined) kept.push({ item, words, alternateSources: [] });
    else if (same.item.id !== item.id) {
      same.alternateSources.push(item.label);
      folded.push({ id: item.id, into: same.item.id });
    }
  }
  return { kept: kept.map(({ item, alternateSources }) => ({ item, alternateSources })), folded };
}

/** Words and characters read of one text: quoted logs of megabytes must not slow a search. */
const WORDS_READ = 1_000;
const CHARACTERS_READ = 10_000;

/** The words of a text in any case, for `jaccard`. */
export function comparedWords(text: string): Uint32Array {
  return distinctWords(plainWords(text.slice(0, CHARACTERS_READ).toLowerCase()).slice(0, WORDS_READ));
}
