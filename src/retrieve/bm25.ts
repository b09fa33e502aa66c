// An inverted index over a handful of memories, and their BM25 for any bag of words: one build per set, many questions.
import { addWord, type Bm25Options, inverseFrequency, markdowns, type Postings } from "../domain/bm25.ts";

export interface Bm25Index extends Postings {
  /** Number of texts. */
  readonly size: number;
  readonly vocabulary: ReadonlyMap<string, number>;
  /** In words, > 0. */
  readonly meanLength: number;
}

/**
 * @param texts the words of each text, in the order by which scores will be told
 */
export function buildIndex(texts: readonly (readonly string[])[]): Bm25Index {
  const vocabulary = new Map<string, number>();
  const bags: Map<number, number>[] = [];
  const frequency: number[] = [];
  let total = 0;
  for (const words of texts) {
    const bag = new Map<number, number>();
    for (const word of words) {
      let id = vocabulary.get(word);
      if (id === undefined) {
        id = vocabulary.size;
        vocabulary.set(word, id);
        frequency.push(0);
      }
      const seen = bag.get(id) ?? 0;
      if (seen === 0) frequency[id] = (frequency[id] ?? 0) + 1;
      bag.set(id, seen + 1);
    }
    bags.push(bag);
    total += words.length;
  }
  const lengths = Uint32Array.from(texts, (words) => words.length);
  return {
    size: texts.length,
    vocabulary,
    ...postings(bags, frequency),
    lengths,
    parts: 1,
    meanLength: Math.max(1e-9, total / Math.max(1, texts.length)),
  };
}

function postings(bags: readonly Map<number, number>[], frequency: readonly number[]) {
  const starts = new Uint32Array(frequency.length + 1);
  frequency.forEach((count, word) => {
    starts[word + 1] = (starts[word] ?? 0) + count;
  });
  const next = starts.slice();
  const rows = new Uint32Array(starts.at(-1) ?? 0);
  const counts = new Uint16Array(rows.length);
  bags.forEach((bag, text) => {
    for (const [word, count] of bag) {
      const at = next[word] ?? 0;
      next[word] = at + 1;
      rows[at] = text;
      counts[at] = Math.min(count, 65_535);
    }
  });
  return { starts, rows, counts };
}

/**
 * Scores every text against a weighted bag of words.
 *
 * @param query words with their weights (a repeat in the query may weigh more); unknown words count nothing
 * @returns one score ≥ 0 per text, in the index's order
 */
export function scoreAll(index: Bm25Index, query: ReadonlyMap<string, number>, options: Bm25Options): Float64Array {
  const scores = new Float64Array(index.size);
  const longer = markdowns(index, index.meanLength, options);
  for (const [word, weight] of query) {
    const id = index.vocabulary.get(word);
    if (id === undefined || weight === 0) continue;
    const found = (index.starts[id + 1] ?? 0) - (index.starts[id] ?? 0);
    addWord(scores, index, id, weight * inverseFrequency(index.size, found) * (options.k1 + 1), longer);
  }
  return scores;
}
