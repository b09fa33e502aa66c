// An inverted index in typed arrays: for each word, in which rows it stands and how much. Filled once, then only read.
import { type CodedPostings, postingBytes } from "./coded-postings.ts";
import { type LengthClasses, lengthClasses, sharesOf } from "./length-classes.ts";
import { type PostingCoder, type PostingSizes, postingCoder } from "./posting-coder.ts";
import { WORD_COLUMNS } from "./record-words.ts";
import { commonWords, type WordColumns, wordColumns } from "./word-columns.ts";
import { type WordKernel, wordKernel } from "./word-kernel.ts";
import { type WordTable, wordTable } from "./word-table.ts";

type Column = (typeof WORD_COLUMNS)[number];

/**
 * How much a word counts by where it stands, in eighths so that sums stay exact. On the development queries of task G
 * (n = 247): text alone MRR .295 and R@10 .465, with path .303 and .473, with path and a quarter of the hunk .310 and
 * .478; any hunk weight from ⅛ to ½ and path weight from 1 to 2 lies within .005 of that.
 */
export const COLUMN_WEIGHTS: Readonly<Record<Column, number>> = { text: 1, path: 1, symbol: 1, hunk: 0.25 };
const STEPS = 8;

/** Counts and lengths are weighted, in eighths. */
export interface WordIndex extends CodedPostings {
  readonly vocabulary: WordTable;
  /** Of each row. */
  readonly lengths: Uint32Array;
  readonly classes: LengthClasses;
  /** So many parts make one word. */
  readonly parts: number;
  /** What adds up its postings; null where it is not worth it, or there is no WebAssembly. */
  readonly kernel: WordKernel | null;
  /** Of the words that stand in many rows; null where there are none, or no kernel. */
  readonly columns: WordColumns | null;
}

/** An index that is being filled, a few rows at a time if need be. */
export interface WordIndexFilling {
  /**
   * @param position not below that of the call before
   * @param words UTF-8: a space between words, a line for each of WORD_COLUMNS
   */
  add(position: number, words: Uint8Array): void;
  /** The index of what was added; nothing may be added afterwards. */
  done(): WordIndex;
}

/**
 * @param size rows that the index has room for: each position (0 … size − 1) is added at most once, and those left out
 *   have no words
 * @param seed see wordTable
 * @param fewestRows with fewer there is no kernel
 */
export function wordIndexFilling(size: number, seed: number, fewestRows = FEWEST_ROWS): WordIndexFilling {
  const filling: Filling = {
    vocabulary: wordTable(seed),
    lengths: new Uint32Array(size),
    postings: postingCoder(size, UNIT),
  };
  return {
    add: (position, words) => addRow(filling, position, words),
    done() {
      const { vocabulary, lengths, postings } = filling;
      const classes = lengthClasses(lengths, UNIT);
      const sizes = postings.sizes();
      const common = size < fewestRows ? [] : commonWords(sizes.found, size);
      const kernel = size < fewestRows ? null : kernelFor(sizes, classes, common.length);
      const coded = postings.done(kernel ?? undefined);
      const columns = kernel === null || common.length === 0 ? null : wordColumns(kernel, common);
      const index = { ...coded, lengths, parts: STEPS, vocabulary, kernel, columns };
      return { ...index, classes: kernel === null ? classes : { ...classes, of: kernel.classes } };
    },
  };
}

/** With fewer rows the postings are added up as fast without one: a kernel takes half a megabyte. */
const FEWEST_ROWS = 8_192;

/** With the classes of the rows in it. */
function kernelFor({ codes, tiles }: PostingSizes, classes: LengthClasses, columns: number): WordKernel | null {
  const [rows, ofLengths] = [classes.of.length, classes.lengths.length];
  const kernel = wordKernel({ rows, codes, tiles, columns, classes: ofLengths, shares: sharesOf(ofLengths) });
  kernel?.classes.set(classes.of);
  return kernel;
}

/** Bytes that an index holds. */
export function wordIndexBytes(index: WordIndex): number {
  const { kernel, lengths, vocabulary, codes, tiles, classes } = index;
  const counted = [codes, tiles, classes.of].reduce((sum, { byteLength }) => sum + byteLength, 0);
  const inKernel = kernel === null ? 0 : kernel.bytes - counted;
  // The lengths three times: as they are, as markdowns and by class.
  return postingBytes(index) + lengths.length * 14 + vocabulary.bytes() + inKernel;
}

/**
 * Bytes that so many rows take in memory with their words, about: of synthetic memories of a hundred different words each
 * 880 a row of 100,000, 490 a row of a million, since there are columns for less common words only where they are small.
 */
export function bytesOfRows(rows: number): number {
  return rows * 500 + Math.min(rows * 400, 40e6);
}

/** Weighted length of an index's row or count of its posting, in words. */
export function inWords(eighths: number): number {
  return eighths / STEPS;
}

interface Filling {
  readonly vocabulary: WordTable;
  readonly lengths: Uint32Array;
  readonly postings: PostingCoder;
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
/** What all weights are multiples of. */
const UNIT = WEIGHTS.reduce(commonDivisor);

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}

function addWord({ lengths, postings }: Filling, row: number, word: number, weight: number): void {
  lengths[row] = (lengths[row] ?? 0) + weight;
  postings.add(row, word, weight);
}
