// An inverted index over a handful of memories, and their BM25 for any bag of words: one build per set, many questions.
import { addWord, type Bm25Options, inverseFrequency, markdowns, type Postings } from "../domain/bm25.ts";
import { type Bags, holdersOf } from "./bags.ts";

export interface Bm25Index extends Postings {
  /** Number of texts. */
  readonly size: number;
  /** In words, > 0. */
  readonly meanLength: number;
}

/**
 * @param bags of the texts, in the order by which scores will be told
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

/** In how many texts of an index a word stands; 0 for a number that was given later. */
export function textsWith({ starts }: Pick<Bm25Index, "starts">, word: number): number {
  return word + 1 < starts.length ? (starts[word + 1] ?? 0) - (starts[word] ?? 0) : 0;
}

/**
 * Scores every text against a weighted bag of words.
 *
 * @param query words with their weights (a repeat in the query may weigh more); unknown words count nothing
 * @returns one score ≥ 0 per text, in the index's order
 */
export function scoreAll(index: Bm25Index, query: ReadonlyMap<number, number>, options: Bm25Options): Float64Array {
  const scores = new Float64Array(index.size);
  const longer = markdowns(index, index.meanLength, options);
  for (const [word, weight] of query) {
    const found = textsWith(index, word);
    if (found === 0 || weight === 0) continue;
    addWord(scores, index, word, weight * inverseFrequency(index.size, found) * (options.k1 + 1), longer);
  }
  return scores;
}
