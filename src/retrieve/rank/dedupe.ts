// Folds near-identical texts into the one that ranks highest.

import { eachOf, runToEnd, type Steps } from "./cooperative-steps.ts";
import { lexicon } from "./term-ids.ts";
import { bagsOf } from "./term-vectors.ts";

/**
 * Share of common words from which two texts are duplicates. At .9 a word more or less in a sentence still counts as
 * the same.
 */
const SAME_TEXT = 0.9;

export interface Foldable {
  readonly id: string;
  readonly text: string;
  /** Its corpus: `finding`, `doc`. */
  readonly source: string;
  /** Its label as an alternate source: `[finding: mem_0123]`. */
  readonly label: string;
}

/**
 * Folds near-identical texts.
 *
 * @param ordered best first; the first of several duplicates is kept
 * @param threshold over 0, at most 1
 * @param within true to fold only texts of one source, false across sources
 * @returns the kept items, in order, each with the labels of those folded into it; and what was folded into which
 */
export function dedupe<T extends Foldable>(ordered: readonly T[], options: DedupeOptions = {}): Deduped<T> {
  return runToEnd(dedupeSteps(ordered, options));
}

interface DedupeOptions {
  readonly threshold?: number;
  readonly within?: boolean;
}

export interface Deduped<T> {
  readonly kept: readonly { readonly item: T; readonly alternateSources: readonly string[] }[];
  readonly folded: readonly { readonly id: string; readonly into: string }[];
}

/** Texts that are read in one step. */
const PIECE = 25;

/** The same in steps. */
export function* dedupeSteps<T extends Foldable>(
  ordered: readonly T[],
  { threshold = SAME_TEXT, within = false }: DedupeOptions = {},
): Steps<Deduped<T>> {
  const kept: { item: T; words: Uint32Array; alternateSources: string[] }[] = [];
  const folded: { id: string; into: string }[] = [];
  const positions = new Map<string, number>();
  const alike = likelyAlike(threshold);
  const all = yield* rarestFirst(ordered);
  yield;
  for (const [at, item] of ordered.entries()) {
    const words = all[at] ?? new Uint32Array();
    const isSame = (position: number) => {
      const other = kept[position];
      if (other === undefined || (within && other.item.source !== item.source)) return false;
      return overlap(words, other.words) >= threshold;
    };
    const itself = positions.get(item.id) ?? Number.POSITIVE_INFINITY;
    const first = Math.min(itself, ...alike.to(words).filter((position) => position < itself && isSame(position)));
    const same = kept[first];
    if (same === undefined) {
      positions.set(item.id, kept.length);
      alike.add(words, kept.length);
      kept.push({ item, words, alternateSources: [] });
    } else if (same.item.id !== item.id) {
      same.alternateSources.push(item.label);
      folded.push({ id: item.id, into: same.item.id });
    }
  }
  return { kept: kept.map(({ item, alternateSources }) => ({ item, alternateSources })), folded };
}

/** |A ∩ B| / |A ∪ B| over the words of two texts, any case; 1 for two texts without words. */
export function jaccard(a: string, b: string): number {
  const [one, other] = runToEnd(rarestFirst([{ text: a }, { text: b }]));
  return overlap(one ?? new Uint32Array(), other ?? new Uint32Array());
}

/**
 * Finds the texts to compare with. Texts that share the part `threshold` of their words share one of the few rarest of
 * either (prefix filtering: Chaudhuri, Ganti and Kaushik 2006), so that a thousand texts need no half million
 * comparisons.
 */
function likelyAlike(threshold: number) {
  const byWord = new Map<number, number[]>();
  const wordless: number[] = [];
  // This many words may be missing; the small number corrects rounding.
  const telling = (words: Uint32Array) =>
    words.subarray(0, Math.max(0, words.length - Math.ceil(threshold * words.length - 1e-6) + 1));
  return {
    add(words: Uint32Array, position: number): void {
      if (words.length === 0) wordless.push(position);
      for (const word of telling(words)) {
        const known = byWord.get(word);
        if (known === undefined) byWord.set(word, [position]);
        else known.push(position);
      }
    },
    to(words: Uint32Array): readonly number[] {
      if (words.length === 0) return wordless;
      const found = new Set<number>();
      for (const word of telling(words)) for (const position of byWord.get(word) ?? []) found.add(position);
      return [...found];
    },
  };
}

/** @param a numbers of words, ascending, each once; so `b` */
function overlap(a: Uint32Array, b: Uint32Array): number {
  if (a.length === 0 && b.length === 0) return 1;
  let [common, at, to] = [0, 0, 0];
  while (at < a.length && to < b.length) {
    const [one = 0, other = 0] = [a[at], b[to]];
    if (one === other) common += 1;
    if (one <= other) at += 1;
    if (other <= one) to += 1;
  }
  return common / (a.length + b.length - common);
}

/** The words of each text as numbers, ascending: the rarer a word among all texts, the smaller its number. */
function* rarestFirst(texts: readonly Pick<Foldable, "text">[]): Steps<readonly Uint32Array[]> {
  const { size, numbered } = lexicon();
  const read = yield* eachOf(texts, PIECE, ({ text }) => numbered(wordsOf(text)));
  const { starts, words } = bagsOf(read, size());
  const numbers = byRarity(words, size(), texts.length);
  const ranks = words.map((word) => numbers[word] ?? 0);
  return texts.map((_, text) => ranks.subarray(starts[text], starts[text + 1]).sort());
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

/** The position of each word among all, the rarest first. */
function byRarity(words: Uint32Array, size: number, texts: number): Uint32Array {
  const counts = new Uint32Array(size);
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  const next = new Uint32Array(texts + 2);
  for (const count of counts) next[count + 1] = (next[count + 1] ?? 0) + 1;
  for (let count = 1; count < next.length; count += 1) next[count] = (next[count] ?? 0) + (next[count - 1] ?? 0);
  const places = new Uint32Array(size);
  for (let word = 0; word < size; word += 1) {
    const count = counts[word] ?? 0;
    const place = next[count] ?? 0;
    next[count] = place + 1;
    places[word] = place;
  }
  return places;
}
