// An index's postings and columns in WebAssembly's memory, where they are added up without being copied.
import {
  ADD_COLUMNS,
  type AddColumns,
  BLOCK,
  COLUMN_ENTRY,
  GROUP,
  MOST_QUESTIONS,
  TILE,
  type WeighedColumn,
} from "./column-kernel.ts";
import { type AddPostings, addPostings, POSTING_ENTRY } from "./posting-kernel.ts";
import { wasmFunctions } from "./wasm-function.ts";

/** How much of everything there is. */
export interface WordSizes {
  readonly rows: number;
  readonly codes: number;
  /** Entries of all tables of tiles. */
  readonly tiles: number;
  readonly columns: number;
  /** Classes of lengths, and shares: see shareTable. */
  readonly classes: number;
  readonly shares: number;
}

/** A word that has a table of tiles. */
export interface WeighedWord {
  /** Where its table begins in `tiles`. */
  readonly table: number;
  /** A whole number up to 32,767 so many bits too large. */
  readonly weight: number;
  readonly bits: number;
}

/** What a question asks for. */
export interface WeighedWords {
  readonly columns: readonly WeighedColumn[];
  readonly words: readonly WeighedWord[];
}

export interface WordKernel {
  /** See CodedPostings. */
  readonly codes: Uint16Array;
  readonly tiles: Uint32Array;
  /** The class of each row's length. */
  readonly classes: Uint16Array;
  /** Columns of bytes, 0–127 each: of tile t the column c begins at (t · columns + c) · TILE. */
  readonly columns: Uint8Array;
  /** All memory that it takes. */
  readonly bytes: number;
  /**
   * @param questions at most MOST_QUESTIONS, with no more words than fit
   * @param shares what counts say in rows of this index: see shareTable
   */
  ask(questions: readonly WeighedWords[], shares: Uint16Array): void;
  /** Whether there is room for so many words of all questions together. */
  fits(words: number): boolean;
  /** The sums of a block of tiles for a question, tile t at t % BLOCK: to be set before anything is added, and read after it. */
  sums(question: number): Int16Array;
  /** Adds what the words with tables say of a block of tiles, for all questions: see AddPostings. */
  addPostings(tile: number, end: number): void;
  /**
   * Adds what the columns say of a tile to the sums of a question.
   *
   * @returns first rows, within the tile, of the groups in which a sum is at least `enough`; good until the next call
   */
  addColumns(question: number, tile: number, enough: number): Uint16Array;
}

/** Shares are parts of 2^15. */
const SHARE_BITS = 15;
/** Of all questions together: eleven texts of a review ask for under a thousand. */
const MOST_WORDS = 4_096;

/** @returns null where there is no WebAssembly with vectors, or not as much memory */
export function wordKernel(sizes: WordSizes): WordKernel | null {
  const at = addressesOf(sizes);
  if (at.end > MOST_BYTES) return null;
  const postings = addPostings({ codes: at.codes, shares: at.shares, classCount: sizes.classes });
  const compiled = wasmFunctions<[AddColumns, AddPostings]>(at.end, [ADD_COLUMNS, postings]);
  if (compiled === null) return null;
  const { memory, runs } = compiled;
  const [runColumns, runPostings] = runs;
  const entries = new Int32Array(memory, 0, at.sums / 4);
  const held = new Uint16Array(memory, at.shares, sizes.shares);
  let heldLast: Uint16Array | null = null;
  const found = new Uint16Array(memory, at.found, TILE / GROUP);
  const columnLists: { readonly begin: number; readonly end: number }[] = [];
  let wordsEnd = at.words;
  const sumsAt = (question: number) => at.sums + question * BLOCK * TILE * 2;
  return {
    codes: new Uint16Array(memory, at.codes, sizes.codes),
    tiles: new Uint32Array(memory, at.tiles, sizes.tiles),
    classes: new Uint16Array(memory, at.classes, sizes.rows),
    columns: new Uint8Array(memory, at.columns, tilesOf(sizes.rows) * TILE * sizes.columns),
    bytes: memory.byteLength,
    fits: (words) => words <= MOST_WORDS,
    ask(questions, shares) {
      if (shares !== heldLast) held.set(shares);
      heldLast = shares;
      wordsEnd = at.words;
      for (const [question, { columns, words }] of questions.entries()) {
        const begin = at.lists + question * (sizes.columns + 1) * COLUMN_ENTRY;
        columnLists[question] = { begin, end: writeColumns(entries, begin, columns) };
        for (const word of words) wordsEnd = writeWord(entries, wordsEnd, word, at.tiles, sumsAt(question));
      }
    },
    sums: (question) => new Int16Array(memory, sumsAt(question), BLOCK * TILE),
    addPostings(tile, end) {
      if (wordsEnd > at.words)
        runPostings(at.words, wordsEnd, tile * 4, (end - tile) * 4, at.classes + tile * TILE * 2);
    },
    addColumns(question, tile, enough) {
      const sums = sumsAt(question) + (tile % BLOCK) * TILE * 2;
      const bytes = at.columns + tile * TILE * sizes.columns;
      const { begin, end } = columnLists[question] ?? NO_LIST;
      const foundEnd = runColumns(bytes, begin, end, sums, sums + TILE * 2, enough, at.found);
      const count = (foundEnd - at.found) / 2;
      for (let of = 0; of < count; of += 1) found[of] = (((found[of] ?? 0) - sums) & 0xffff) >> 1;
      return found.subarray(0, count);
    },
  };
}

const NO_LIST = { begin: 0, end: 0 };
/** WebAssembly's addresses have 32 bits. */
const MOST_BYTES = 2 ** 32 - 2 ** 16;

function tilesOf(rows: number): number {
  return Math.ceil(rows / TILE);
}

/** One thing behind the other, each where its elements may begin. */
function addressesOf({ rows, codes, tiles, columns, shares }: WordSizes) {
  let end = 0;
  const room = (bytes: number) => {
    const begin = end;
    end = Math.ceil((begin + bytes) / 64) * 64;
    return begin;
  };
  return {
    lists: room(MOST_QUESTIONS * (columns + 1) * COLUMN_ENTRY),
    words: room(MOST_WORDS * POSTING_ENTRY),
    sums: room(MOST_QUESTIONS * BLOCK * TILE * 2),
    found: room((TILE / GROUP) * 2),
    shares: room(shares * 2),
    classes: room(rows * 2),
    tiles: room(tiles * 4),
    // Without columns the function still reads one of one tile, which counts nothing.
    columns: room(Math.max(TILE, tilesOf(rows) * TILE * columns)),
    codes: room(codes * 2),
    end,
  };
}

/** Returns where the list ends. Addresses are of bytes, entries of four. */
function writeColumns(entries: Int32Array, begin: number, columns: readonly WeighedColumn[]): number {
  let at = begin / 4;
  for (const { column, weight } of columns) {
    entries[at] = column * TILE;
    entries[at + 1] = weight;
    at += COLUMN_ENTRY / 4;
  }
  if (columns.length > 0) return at * 4;
  // The function's loop runs at least once: a column without weight adds nothing.
  entries.fill(0, at, at + COLUMN_ENTRY / 4);
  return begin + COLUMN_ENTRY;
}

/** Returns where the next goes. */
function writeWord(
  entries: Int32Array,
  address: number,
  { table, weight, bits }: WeighedWord,
  tiles: number,
  sums: number,
): number {
  const at = address / 4;
  entries[at] = tiles + table * 4;
  entries[at + 1] = weight;
  entries[at + 2] = SHARE_BITS + bits;
  entries[at + 3] = sums;
  return address + POSTING_ENTRY;
}
