// An inverted index in typed arrays: for each word, in which rows it stands and how much. Filled once, then only read.
import type { Postings } from "../../domain/bm25.ts";
import { WORD_COLUMNS } from "./record-words.ts";
import { columnBytes, type WordColumns, wordColumns } from "./word-columns.ts";
import { type WordTable, wordTable } from "./word-table.ts";

type Column = (typeof WORD_COLUMNS)[number];

/**
 * How much a word counts by where it stands, in eighths so that sums stay exact. On the development queries of task G
 * (n = 247): text alone MRR .295 and R@10 .465, with path .303 and .473, with path and a quarter of the hunk .310 and
 * .478; any hunk weight from ⅛ to ½ and path weight from 1 to 2 lies within .005 of that.
 */
export const COLUMN_WEIGHTS: Readonly<Record<Column, number>> = { text: 1, path: 1, symbol: 1, hunk: 0.25 };
const STEPS = 8;

/** Counts and lengths are weighted, in eighths. The rows of a word ascend. */
export interface WordIndex extends Postings {
  readonly vocabulary: WordTable;
  /** Of the words that stand in many rows; null where it is not worth it, or cannot be. */
  readonly columns: WordColumns | null;
}

/** An index that is being filled, a few rows at a time if need be. */
export interface WordIndexFilling {
  /** @param words UTF-8: a space between words, a line for each of WORD_COLUMNS */
  add(position: number, words: Uint8Array): void;
  /** The index of what was added; nothing may be added afterwards. */
  done(): WordIndex;
}

/**
 * @param size rows that the index has room for: each position (0 … size − 1) is added at most once, and those left out
 *   have no words
 * @param seed see wordTable
 */
export function wordIndexFilling(size: number, seed: number): WordIndexFilling {
  const filling: Filling = {
    vocabulary: wordTable(seed),
    lengths: new Uint32Array(size),
    words: grow(),
    rows: grow(),
    counts: grow(),
    lastRow: grow(),
    lastPosting: grow(),
  };
  return {
    add: (position, words) => addRow(filling, position, words),
    done() {
      const index = { lengths: filling.lengths, parts: STEPS, ...byWord(filling) };
      return { ...index, vocabulary: filling.vocabulary, columns: wordColumns(index) };
    },
  };
}

/** Bytes that an index holds. */
export function wordIndexBytes(index: WordIndex): number {
  const columns = index.columns === null ? 0 : columnBytes(index.columns);
  const postings = index.rows.length * 6 + index.starts.length * 4;
  // The lengths twice: as they are and as markdowns.
  return postings + index.lengths.length * 12 + index.vocabulary.bytes() + columns;
}

/** Weighted length of an index's row or count of its posting, in words. */
export function inWords(eighths: number): number {
  return eighths / STEPS;
}

interface Filling {
  readonly vocabulary: WordTable;
  readonly lengths: Uint32Array;
  /** Of each posting, in the order of the rows. */
  readonly words: Grown;
  readonly rows: Grown;
  readonly counts: Grown;
  /** Of each word: one more than the row that had it last, and where that posting stands. */
  readonly lastRow: Grown;
  readonly lastPosting: Grown;
}

const SPACE = 0x20;
const LINE = 0x0a;

function addRow(filling: Filling, row: number, bytes: Uint8Array): void {
  let column = 0;
  let start = 0;
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = at < bytes.length ? bytes[at] : LINE;
    if (byte !== SPACE && byte !== LINE) continue;
    if (at > start) addWord(filling, row, filling.vocabulary.add(bytes, start, at), WEIGHTS[column] ?? 0);
    start = at + 1;
    if (byte === LINE) column += 1;
  }
}

const WEIGHTS = WORD_COLUMNS.map((column) => COLUMN_WEIGHTS[column] * STEPS);

function addWord(filling: Filling, row: number, word: number, weight: number): void {
  const { lastRow, lastPosting, words, rows, counts, lengths } = filling;
  lengths[row] = (lengths[row] ?? 0) + weight;
  if (word === lastRow.size()) {
    lastRow.push(0);
    lastPosting.push(0);
  }
  if (lastRow.get(word) === row + 1) {
    const posting = lastPosting.get(word);
    counts.set(posting, Math.min(65_535, counts.get(posting) + weight));
    return;
  }
  lastRow.set(word, row + 1);
  lastPosting.set(word, words.size());
  words.push(word);
  rows.push(row);
  counts.push(weight);
}

/** Sorts postings by word (counting sort), and by row within a word. */
function byWord(filling: Filling): Pick<WordIndex, "starts" | "rows" | "counts"> {
  const words = filling.words.take();
  const starts = startsOf(words, filling.vocabulary.size());
  const next = starts.slice();
  const [fromRows, fromCounts] = [filling.rows.take(), filling.counts.take()];
  const rows = new Uint32Array(words.length);
  const counts = new Uint16Array(words.length);
  const order = ascending(fromRows) ? null : orderOf(fromRows, filling.lengths.length);
  for (let turn = 0; turn < words.length; turn += 1) {
    const at = order === null ? turn : (order[turn] ?? 0);
    const word = words[at] ?? 0;
    const to = next[word] ?? 0;
    next[word] = to + 1;
    rows[to] = fromRows[at] ?? 0;
    counts[to] = fromCounts[at] ?? 0;
  }
  return { starts, rows, counts };
}

function ascending(values: Uint32Array): boolean {
  for (let at = 1; at < values.length; at += 1) if ((values[at] ?? 0) < (values[at - 1] ?? 0)) return false;
  return true;
}

/** Where each of the values 0 … size − 1 begins when they are sorted, and at last their number. */
function startsOf(values: Uint32Array, size: number): Uint32Array {
  const starts = new Uint32Array(size + 1);
  for (const value of values) starts[value + 1] = (starts[value + 1] ?? 0) + 1;
  for (let value = 1; value <= size; value += 1) starts[value] = (starts[value] ?? 0) + (starts[value - 1] ?? 0);
  return starts;
}

/** Positions of values below `size` in ascending order of the values (counting sort). */
function orderOf(values: Uint32Array, size: number): Uint32Array {
  const next = startsOf(values, size);
  const order = new Uint32Array(values.length);
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    const to = next[value] ?? 0;
    next[value] = to + 1;
    order[to] = at;
  }
  return order;
}

interface Grown {
  push(value: number): void;
  get(at: number): number;
  set(at: number, value: number): void;
  size(): number;
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
    get: (at) => values[at] ?? 0,
    set(at, value) {
      values[at] = value;
    },
    size: () => size,
    take: () => values.subarray(0, size),
  };
}
