// An inverted index in typed arrays: for each word, in which rows it stands and how much. Filled once, then only read.
import { WORD_COLUMNS } from "./record-words.ts";

type Column = (typeof WORD_COLUMNS)[number];

/**
 * How much a word counts by where it stands, in eighths so that sums stay exact: see bench/memory.bench.ts and the
 * retrieval suite for what was tried.
 */
export const COLUMN_WEIGHTS: Readonly<Record<Column, number>> = { text: 1, path: 1, symbol: 1, hunk: 0.25 };
const STEPS = 8;

export interface WordIndex {
  readonly vocabulary: ReadonlyMap<string, number>;
  /** Postings of word w stand at starts[w] … starts[w + 1]. */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  /** Weighted count of the word in the row, in eighths. */
  readonly counts: Uint16Array;
  /** Weighted number of words of each row, in eighths. */
  readonly lengths: Uint32Array;
}

/** One row's words by place, each a list with one space between. */
export type RowWords = Readonly<Record<Column, string>>;

/**
 * @param size rows that the index has room for
 * @param rows position (0 … size − 1) and words, each position at most once; positions left out have no words
 */
export function buildWordIndex(size: number, rows: Iterable<readonly [position: number, words: RowWords]>): WordIndex {
  const vocabulary = new Map<string, number>();
  const postings = { words: grow(), rows: grow(), counts: grow() };
  const lengths = new Uint32Array(size);
  for (const [position, words] of rows) {
    const bag = new Map<number, number>();
    lengths[position] = fillBag(bag, words, vocabulary);
    for (const [word, count] of bag) {
      postings.words.push(word);
      postings.rows.push(position);
      postings.counts.push(Math.min(count, 65_535));
    }
  }
  return { vocabulary, ...byWord(vocabulary.size, postings.words.take(), postings), lengths };
}

/** Rough bytes that an index holds; a word of the vocabulary costs about 90 in V8. */
export function wordIndexBytes(index: WordIndex): number {
  return index.rows.length * 6 + index.starts.length * 4 + index.lengths.length * 4 + index.vocabulary.size * 90;
}

/** Weighted length of an index's row or count of its posting, in words. */
export function inWords(eighths: number): number {
  return eighths / STEPS;
}

function fillBag(bag: Map<number, number>, words: RowWords, vocabulary: Map<string, number>): number {
  let length = 0;
  for (const column of WORD_COLUMNS) {
    const weight = COLUMN_WEIGHTS[column] * STEPS;
    if (words[column] === "" || weight === 0) continue;
    for (const word of words[column].split(" ")) {
      let id = vocabulary.get(word);
      if (id === undefined) {
        id = vocabulary.size;
        vocabulary.set(word, id);
      }
      bag.set(id, (bag.get(id) ?? 0) + weight);
      length += weight;
    }
  }
  return length;
}

/** Sorts postings by word, rows ascending within each (counting sort). */
function byWord(
  vocabularySize: number,
  words: Uint32Array,
  postings: { readonly rows: Grown; readonly counts: Grown },
) {
  const starts = new Uint32Array(vocabularySize + 1);
  for (const word of words) starts[word + 1] = (starts[word + 1] ?? 0) + 1;
  for (let word = 0; word < vocabularySize; word += 1) starts[word + 1] = (starts[word + 1] ?? 0) + (starts[word] ?? 0);
  const next = starts.slice();
  const [fromRows, fromCounts] = [postings.rows.take(), postings.counts.take()];
  const rows = new Uint32Array(words.length);
  const counts = new Uint16Array(words.length);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? 0;
    const to = next[word] ?? 0;
    next[word] = to + 1;
    rows[to] = fromRows[at] ?? 0;
    counts[to] = fromCounts[at] ?? 0;
  }
  return { starts, rows, counts };
}

interface Grown {
  push(value: number): void;
  /** What was pushed. */
  take(): Uint32Array;
}

/** A Uint32Array that doubles when full: ordinary arrays of ten million numbers take several times the memory. */
function grow(): Grown {
  let values = new Uint32Array(1024);
  let size = 0;
  return {
    push(value) {
      if (size === values.length) {
        const larger = new Uint32Array(size * 2);
        larger.set(values);
        values = larger;
      }
      values[size] = value;
      size += 1;
    },
    take: () => values.subarray(0, size),
  };
}
