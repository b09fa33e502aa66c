// Common words of an index as columns: one byte a row for how much the word says there. A question asks for the same common
// words in each of its texts, and they are most of what there is to read.
import { type CodedPostings, piecesOf } from "./coded-postings.ts";
import { TILE, WHOLE } from "./column-kernel.ts";
import type { WordKernel } from "./word-kernel.ts";

/**
 * A word that stands in the first share of the rows has a column; down to the second while columns take no more than so many
 * bytes. Of 100,000 synthetic memories 151 words stand in a twelfth, and what else eleven texts have to read is a tenth
 * of their postings; the columns take a fifth of the room of the postings.
 */
const COMMON = { share: 1 / 12, leastShare: 1 / 32, bytes: 48e6 };
/** With words that stand everywhere only the most common have a column. */
const MOST_COLUMNS = 512;

export interface WordColumns {
  readonly kernel: WordKernel;
  /** Column of a word; absent when it is not common. */
  readonly columnOf: ReadonlyMap<number, number>;
  readonly columns: number;
  /** The mean length, in words, by which long rows were marked down; 0 before the bytes are worked out. */
  meanLength: number;
}

/** @param common see commonWords: as many as the kernel has columns */
export function wordColumns(kernel: WordKernel, common: readonly number[]): WordColumns {
  const columnOf = new Map(common.map((word, column) => [word, column]));
  return { kernel, columnOf, columns: common.length, meanLength: 0 };
}

/**
 * Works the bytes out anew when the mean length has moved too far from the one they were made for.
 *
 * @param longer markdowns of the index for this mean
 * @returns the mean they are made for, as a share of this one
 */
export function tuneColumns(index: CodedPostings, of: WordColumns, meanLength: number, longer: Float64Array): number {
  if (Math.abs(of.meanLength / meanLength - 1) > MOST_DRIFT) {
    fill(index, of, longer);
    of.meanLength = meanLength;
  }
  return of.meanLength / meanLength;
}

/** What a search leaves out moves the mean by less; every part of it makes the choice of rows wider. */
const MOST_DRIFT = 1 / 16;

function fill(index: CodedPostings, { kernel, columnOf, columns }: WordColumns, longer: Float64Array): void {
  for (const [word, column] of columnOf) {
    for (const { rows, counts, size } of piecesOf(index, word)) {
      for (let at = 0; at < size; at += 1) {
        const row = rows[at] ?? 0;
        const tile = Math.floor(row / TILE);
        kernel.columns[(tile * columns + column) * TILE + (row % TILE)] = inParts(counts[at] ?? 0, longer[row] ?? 0);
      }
    }
  }
}

/** count / (count + markdown) in parts of a whole, rounded up: 0 says that the word is not there. */
function inParts(count: number, longer: number): number {
  return Math.ceil((WHOLE * count) / (count + longer));
}

/** Whether a common word stands in a row. */
export function columnHas({ kernel, columns }: WordColumns, column: number, row: number): boolean {
  return kernel.columns[(Math.floor(row / TILE) * columns + column) * TILE + (row % TILE)] !== 0;
}

/**
 * Numbers of the words that should have columns, the most common first.
 *
 * @param found in how many of the rows each word stands
 */
export function commonWords(found: Uint32Array, rows: number): number[] {
  const common: { readonly word: number; readonly rows: number }[] = [];
  for (let word = 0; word < found.length; word += 1) {
    const has = found[word] ?? 0;
    if (has >= rows * COMMON.leastShare) common.push({ word, rows: has });
  }
  return common
    .sort((one, other) => other.rows - one.rows || one.word - other.word)
    .filter((one, at) => one.rows >= rows * COMMON.share || (at + 1) * rows <= COMMON.bytes)
    .slice(0, MOST_COLUMNS)
    .map(({ word }) => word);
}
