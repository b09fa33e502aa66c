// Okapi BM25 over an inverted index in typed arrays: one build per set of memories, then scores for any bag of words.

export interface Bm25Options {
  /** How soon repeats of a word stop counting: 0 counts presence only. */
  readonly k1: number;
  /** How much a long text is marked down, 0–1. */
  readonly b: number;
}

/**
 * The best of k1 .3–2, b .4–1 on all four development sets (eval/research/retrieval.md): memories differ much in length,
 * and a word that a short comment repeats is what it is about.
 */
export const KEYWORDS: Bm25Options = { k1: 2, b: 1 };

export interface Bm25Index {
  /** Number of texts. */
  readonly size: number;
  readonly vocabulary: ReadonlyMap<string, number>;
  /** Postings of word w stand at starts[w] … starts[w + 1]. */
  readonly starts: Uint32Array;
  readonly texts: Uint32Array;
  readonly counts: Uint16Array;
  /** Words per text. */
  readonly lengths: Float64Array;
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
  const lengths = Float64Array.from(texts, (words) => words.length);
  return {
    size: texts.length,
    vocabulary,
    ...postings(bags, frequency),
    lengths,
    meanLength: total / Math.max(1, texts.length),
  };
}

function postings(bags: readonly Map<number, number>[], frequency: readonly number[]) {
  const starts = new Uint32Array(frequency.length + 1);
  frequency.forEach((count, word) => {
    starts[word + 1] = (starts[word] ?? 0) + count;
  });
  const next = starts.slice();
  const texts = new Uint32Array(starts.at(-1) ?? 0);
  const counts = new Uint16Array(texts.length);
  bags.forEach((bag, text) => {
    for (const [word, count] of bag) {
      const at = next[word] ?? 0;
      next[word] = at + 1;
      texts[at] = text;
      counts[at] = Math.min(count, 65_535);
    }
  });
  return { starts, texts, counts };
}

/** Robertson and Spärck Jones' weight of a word, kept above zero: rare words weigh more. */
export function inverseFrequency(index: Bm25Index, word: number): number {
  const count = (index.starts[word + 1] ?? 0) - (index.starts[word] ?? 0);
  return Math.log(1 + (index.size - count + 0.5) / (count + 0.5));
}

/**
 * Scores every text against a weighted bag of words.
 *
 * @param query words with their weights (a repeat in the query may weigh more); unknown words count nothing
 * @returns one score ≥ 0 per text, in the index's order
 */
export function scoreAll(index: Bm25Index, query: ReadonlyMap<string, number>, options: Bm25Options): Float64Array {
  const scores = new Float64Array(index.size);
  const norms = index.lengths.map(
    (length) => options.k1 * (1 - options.b + (options.b * length) / Math.max(1e-9, index.meanLength)),
  );
  for (const [word, weight] of query) {
    const id = index.vocabulary.get(word);
    if (id === undefined || weight === 0) continue;
    const gain = weight * inverseFrequency(index, id) * (options.k1 + 1);
    for (let at = index.starts[id] ?? 0; at < (index.starts[id + 1] ?? 0); at += 1) {
      const text = index.texts[at] ?? 0;
      const count = index.counts[at] ?? 0;
      scores[text] = (scores[text] ?? 0) + (gain * count) / (count + (norms[text] ?? 0));
    }
  }
  return scores;
}

/** A bag of words in which the n-th repeat of a word adds ever less: 1 + ln(count). */
export function bagOf(words: Iterable<string>): Map<string, number> {
  const bag = new Map<string, number>();
  for (const word of words) bag.set(word, (bag.get(word) ?? 0) + 1);
  for (const [word, count] of bag) bag.set(word, 1 + Math.log(count));
  return bag;
}
