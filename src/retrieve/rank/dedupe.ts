// Folds near-identical texts into the one that ranks highest.

import { eachOf, runToEnd, type Steps } from "./cooperative-steps.ts";
import { lexicon } from "./term-ids.ts";

/** Share of common words from which texts are duplicates. At .9 a word more or less in a sentence is the same. */
const SAME_TEXT = 0.9;

export interface Foldable {
  readonly id: string;
  readonly text: string;
  /** Its label as an alternate source: `[finding: mem_0123]`. */
  readonly label: string;
}

/** Texts that are read, or compared with those before, in one step. */
const PIECE = 25;

/**
 * Folds near-identical texts, in steps.
 *
 * @param ordered best first; the first of several duplicates is kept
 * @param threshold over 0, at most 1
 * @returns the kept items, in order, each with the labels of those folded into it; and what was folded into which
 */
export function* dedupeSteps<T extends Foldable>(
  ordered: readonly T[],
  threshold: number = SAME_TEXT,
): Steps<{ kept: { item: T; alternateSources: readonly string[] }[]; folded: { id: string; into: string }[] }> {
  const kept: { item: T; words: Uint32Array; alternateSources: string[] }[] = [];
  const folded: { id: string; into: string }[] = [];
  const all = yield* distinctWords(ordered);
  yield* eachOf(ordered, PIECE, (item, at) => {
    const words = all[at] ?? new Uint32Array();
    const same = kept.find(
      ({ item: other, words: others }) => other.id === item.id || overlap(words, others, threshold) >= threshold,
    );
    if (same === undefined) kept.push({ item, words, alternateSources: [] });
    else if (same.item.id !== item.id) {
      same.alternateSources.push(item.label);
      folded.push({ id: item.id, into: same.item.id });
    }
  });
  return { kept: kept.map(({ item, alternateSources }) => ({ item, alternateSources })), folded };
}

/** |A ∩ B| / |A ∪ B| over the words of two texts, any case; 1 for two texts without words. */
export function jaccard(a: string, b: string): number {
  const [one = new Uint32Array(), other = new Uint32Array()] = runToEnd(distinctWords([{ text: a }, { text: b }]));
  return overlap(one, other);
}

/**
 * @param a numbers of words, ascending, each once; so `b`
 * @param least a smaller share may be given as 0: most texts differ too much in length to share more
 */
function overlap(a: Uint32Array, b: Uint32Array, least = 0): number {
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

/** The words of each text as numbers, ascending, each once. */
function* distinctWords(texts: readonly Pick<Foldable, "text">[]): Steps<readonly Uint32Array[]> {
  const { numbered } = lexicon();
  return yield* eachOf(texts, PIECE, ({ text }) => Uint32Array.from(new Set(numbered(wordsOf(text)))).sort());
}

/** Words and characters read of one text: quoted logs of megabytes must not slow a search. */
const WORDS_READ = 1_000;
const CHARACTERS_READ = 10_000;

/** Runs of letters, digits and underscores, in lower case. */
function wordsOf(text: string): readonly string[] {
  const read =
    text
      .slice(0, CHARACTERS_READ)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  return read.slice(0, WORDS_READ);
}
