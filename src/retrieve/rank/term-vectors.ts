// Texts as bags of numbered words in flat arrays, for the comparisons of a search.
import { addWord, type Bm25Options, inverseFrequency, markdowns, type Postings } from "../../domain/text/bm25.ts";
import { type Background, rarity } from "../../domain/text/word-rarity.ts";
import type { Lexicon } from "./term-ids.ts";

/** Text t has words starts[t] … starts[t + 1], each once, in order of first occurrence. */
interface Bags {
  readonly starts: Uint32Array;
  readonly words: Uint32Array;
  readonly counts: Uint32Array;
}

/**
 * @param texts numbers of words, in order, with repeats
 * @param numbers how many words are numbered: each number is below it
 */
export function bagsOf(texts: readonly (readonly number[])[], numbers: number): Bags {
  let most = 0;
  for (const words of texts) most += words.length;
  const starts = new Uint32Array(texts.length + 1);
  const words = new Uint32Array(most);
  const counts = new Uint32Array(most);
  // The position of the word in the current bag, from 1 on; 0 before it occurs.
  const places = new Uint32Array(numbers);
  let end = 0;
  for (const [text, read] of texts.entries()) {
    const start = end;
    for (const word of read) {
      let place = places[word] ?? 0;
      if (place === 0) {
        words[end] = word;
        end += 1;
        place = end;
        places[word] = place;
      }
      counts[place - 1] = (counts[place - 1] ?? 0) + 1;
    }
    for (let at = start; at < end; at += 1) places[words[at] ?? 0] = 0;
    starts[text + 1] = end;
  }
  return { starts, words: words.subarray(0, end), counts: counts.subarray(0, end) };
}

/** The bags with each word: those of word w are at starts[w] … starts[w + 1], ascending. */
interface Holders {
  readonly starts: Uint32Array;
  /** The text of each entry, and the position of the word in the bags. */
  readonly texts: Uint32Array;
  readonly places: Uint32Array;
}

/** @param numbers as for `bagsOf` */
function holdersOf({ starts, words }: Bags, numbers: number): Holders {
  const first = new Uint32Array(numbers + 1);
  for (const word of words) first[word + 1] = (first[word + 1] ?? 0) + 1;
  for (let word = 0; word < numbers; word += 1) first[word + 1] = (first[word + 1] ?? 0) + (first[word] ?? 0);
  const next = first.slice();
  const texts = new Uint32Array(words.length);
  const places = new Uint32Array(words.length);
  for (let text = 0; text + 1 < starts.length; text += 1) {
    const end = starts[text + 1] ?? 0;
    for (let at = starts[text] ?? 0; at < end; at += 1) {
      const word = words[at] ?? 0;
      const to = next[word] ?? 0;
      next[word] = to + 1;
      texts[to] = text;
      places[to] = at;
    }
  }
  return { starts: first, texts, places };
}

// An inverted index over a few memories, and their BM25 for any bag of words: built once per set,
// for many queries.

export interface Bm25Index extends Postings {
  readonly size: number;
  /** In words, > 0. */
  readonly meanLength: number;
}

/**
 * @param bags of the texts, in the order of the scores
 * @param numbers how many words are numbered
 */
export function buildIndex(bags: Bags, numbers: number): Bm25Index {
  const { starts, texts: rows, places } = holdersOf(bags, numbers);
  const counts = new Uint16Array(rows.length);
  for (let at = 0; at < counts.length; at += 1) counts[at] = Math.min(bags.counts[places[at] ?? 0] ?? 0, 65_535);
  const size = bags.starts.length - 1;
  const lengths = new Uint32Array(size);
  let total = 0;
  for (let text = 0; text < size; text += 1) {
    const end = bags.starts[text + 1] ?? 0;
    for (let at = bags.starts[text] ?? 0; at < end; at += 1)
      lengths[text] = (lengths[text] ?? 0) + (bags.counts[at] ?? 0);
    total += lengths[text] ?? 0;
  }
  return { size, starts, rows, counts, lengths, parts: 1, meanLength: Math.max(1e-9, total / Math.max(1, size)) };
}

/** How many texts of an index contain a word; 0 for a number that was given later. */
function textsWith({ starts }: Pick<Bm25Index, "starts">, word: number): number {
  return word + 1 < starts.length ? (starts[word + 1] ?? 0) - (starts[word] ?? 0) : 0;
}

/**
 * Scores every text against a weighted bag of words.
 *
 * @param query words with their weights (a repeat in the query may weigh more); unknown words count
 * nothing
 * @returns one score ≥ 0 per text, in the index's order
 */
export function scoreAll(
  index: Bm25Index,
  query: ReadonlyMap<number, number>,
  rarityOf: WordRarity,
  options: Bm25Options,
): Float64Array {
  const scores = new Float64Array(index.size);
  const longer = markdowns(index, index.meanLength, options);
  for (const [word, weight] of query) {
    const found = textsWith(index, word);
    if (found === 0 || weight === 0) continue;
    addWord(scores, index, word, weight * rarityOf(word, found) * (options.k1 + 1), longer);
  }
  return scores;
}

// Texts as unit vectors of weighted words, stored by word, so that a query is compared only with
// texts that share a word.

export interface VectorSpace {
  readonly size: number;
  /** Entries of word w are at starts[w] … starts[w + 1]. */
  readonly starts: Uint32Array;
  readonly texts: Uint32Array;
  readonly values: Float64Array;
}

/** Sparse unit vectors: the words of each and their shares. */
export interface Vectors extends Bags {
  readonly shares: Float64Array;
}

/**
 * Unit vectors of texts' words: (1 + ln count) × weight, divided by the vector's length. A text
 * without words gives an empty vector, which is near nothing.
 */
export function vectorsOf(bags: Bags, weights: Weights): Vectors {
  const { starts, words, counts } = bags;
  const shares = new Float64Array(words.length);
  for (let at = 0; at < shares.length; at += 1) {
    const count = counts[at] ?? 0;
    shares[at] = (count === 1 ? 1 : 1 + Math.log(count)) * (weights[words[at] ?? 0] ?? 0);
  }
  for (let text = 0; text + 1 < starts.length; text += 1) toUnit(shares, starts[text] ?? 0, starts[text + 1] ?? 0);
  return { ...bags, shares };
}

function toUnit(shares: Float64Array, start: number, end: number): void {
  let square = 0;
  for (let at = start; at < end; at += 1) square += (shares[at] ?? 0) * (shares[at] ?? 0);
  const length = Math.sqrt(square) || 1;
  for (let at = start; at < end; at += 1) shares[at] = (shares[at] ?? 0) / length;
}

/** @param vectors one per text, in the order of the results */
export function buildSpace(vectors: Vectors, weights: Weights): VectorSpace {
  const { starts, texts, places } = holdersOf(vectors, weights.length);
  const values = new Float64Array(texts.length);
  for (let at = 0; at < values.length; at += 1) values[at] = vectors.shares[places[at] ?? 0] ?? 0;
  return { size: vectors.starts.length - 1, starts, texts, values };
}

/**
 * Cosine of a vector to every text of the space, 0–1.
 *
 * @param near receives one figure per text, overwriting its content
 */
export function similarities(space: VectorSpace, vectors: Vectors, which: number, near: Float64Array): void {
  const { starts, texts, values } = space;
  near.fill(0);
  const last = vectors.starts[which + 1] ?? 0;
  for (let of = vectors.starts[which] ?? 0; of < last; of += 1) {
    const word = vectors.words[of] ?? 0;
    const share = vectors.shares[of] ?? 0;
    const end = starts[word + 1] ?? 0;
    for (let at = starts[word] ?? 0; at < end; at += 1) {
      const text = texts[at] ?? 0;
      near[text] = (near[text] ?? 0) + share * (values[at] ?? 0);
    }
  }
}

// A repository's own memory is too small to determine which words are rare, so its counts are mixed
// with counts over many.

/** Weights of words by their numbers, ≥ 0. */
export type Weights = Float64Array;

/**
 * Half rarity over many repositories, half in this memory (eval/research/retrieval.md: .25–.75 are
 * within noise).
 */
export function mixedWeights(everywhere: Weights, memory: Bm25Index, rarityOf: WordRarity): Weights {
  return everywhere.map((weight, word) => 0.5 * weight + 0.5 * rarityOf(word, textsWith(memory, word)));
}

/** The inverse frequency of a word that `found` texts of an index have. */
export type WordRarity = (word: number, found: number) => number;

/** Rarity in an index of so many texts and over many repositories. */
export function rarityIn(texts: number, background: Background, { size, wordOf }: Lexicon): WordRarity {
  const share = (word: number) => (background.counts.get(wordOf(word)) ?? 0) / background.texts;
  const shares = Float64Array.from({ length: size() }, (_, word) => share(word));
  return (word, found) => inverseFrequency(texts, found, shares[word] ?? 0);
}

/** Rarity over many repositories, of all words of a lexicon. */
export function everywhereWeights(background: Background, { size, wordOf }: Lexicon): Weights {
  const weigh = rarity(background);
  return Float64Array.from({ length: size() }, (_, word) => weigh(wordOf(word)));
}
