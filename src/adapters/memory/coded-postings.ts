// In which rows each word stands and how much, in two bytes for a row of a common word and four for one of a rare word: what a
// row takes in memory is mostly this. Made once (posting-coder.ts), then only read.
import { TILE } from "./column-kernel.ts";

/**
 * A code says in which row of its tile a word stands (the upper 11 bits) and how much (the lower 5, in units; 0 where that
 * is too much for 5 bits). A common word has a table of where each tile's codes begin; each code of a rare word stands
 * behind the number of its tile. The codes of a word ascend with their rows.
 */
export interface CodedPostings {
  /** Codes of word w, or tiles and codes, stand at starts[w] … starts[w + 1]. */
  readonly starts: Uint32Array;
  readonly codes: Uint16Array;
  /** Where the table of a word begins, plus one; 0 for a rare word, which has none. */
  readonly tables: Uint32Array;
  /** Where the codes of each tile begin in `codes`, tile after tile, and where the last end. */
  readonly tiles: Uint32Array;
  /** So much is one unit of a count. */
  readonly unit: number;
  readonly large: LargeCounts;
}

/** Counts that a code has no room for, in the order of their words and of each word in the order of the rows. */
export interface LargeCounts {
  readonly rows: Uint32Array;
  readonly words: Uint32Array;
  readonly counts: Uint16Array;
}

export const CODE = { rowShift: 5, mostUnits: 31 } as const;
/** A rare word's tile takes one code. */
export const MOST_ROWS = TILE * 65_536;
/** Codes of a tile and its table, in bytes. */
const BYTES = { code: 2, tile: 4 };

/** Whether so many rows take fewer bytes with a table of tiles than with the tile before each code. */
export function isWorthTable(rows: number, tiles: number): boolean {
  return rows * BYTES.code > (tiles + 1) * BYTES.tile;
}

/** In how many rows a word stands. */
export function rowsWith({ starts, tables }: CodedPostings, word: number): number {
  const codes = (starts[word + 1] ?? 0) - (starts[word] ?? 0);
  return tables[word] === 0 ? codes / 2 : codes;
}

export function postingBytes({ starts, codes, tables, tiles, large }: CodedPostings): number {
  const { rows, words, counts } = large;
  return [starts, codes, tables, tiles, rows, words, counts].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** How much a code says. */
export function countOf(postings: CodedPostings, code: number, word: number, row: number): number {
  return (code & CODE.mostUnits) * postings.unit || largeCount(postings.large, word, row);
}

function largeCount({ rows, words, counts }: LargeCounts, word: number, row: number): number {
  const at = largeFrom({ rows, words }, word, row);
  return words[at] === word && rows[at] === row ? (counts[at] ?? 0) : 0;
}

/** Where the large counts of a word begin that are of a row or of one behind it. */
export function largeFrom({ rows, words }: Pick<LargeCounts, "rows" | "words">, word: number, row: number): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = words[middle] ?? 0;
    if (at < word || (at === word && (rows[middle] ?? 0) < row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How much a word stands in a row; 0 where it does not. */
export function countAt(postings: CodedPostings, word: number, row: number): number {
  const code = codeAt(postings, word, row);
  return code < 0 ? 0 : countOf(postings, code, word, row);
}

/** The code of a word in a row, or −1. */
export function codeAt({ starts, codes, tables, tiles }: CodedPostings, word: number, row: number): number {
  const tile = Math.floor(row / TILE);
  const table = tables[word] ?? 0;
  if (table === 0) return behindTile(codes, starts[word] ?? 0, starts[word + 1] ?? 0, tile, row % TILE);
  const at = table - 1 + tile;
  return inTile(codes, tiles[at] ?? 0, tiles[at + 1] ?? 0, row % TILE);
}

function inTile(codes: Uint16Array, start: number, end: number, row: number): number {
  let [low, high] = [start, end];
  const least = row << CODE.rowShift;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((codes[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  const code = low < end ? (codes[low] ?? 0) : 0;
  return low < end && code >> CODE.rowShift === row ? code : -1;
}

function behindTile(codes: Uint16Array, start: number, end: number, tile: number, row: number): number {
  let [low, high] = [0, (end - start) / 2];
  const [last, sought] = [high, tile * TILE + row];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rowBehind(codes, start + middle * 2) < sought) low = middle + 1;
    else high = middle;
  }
  const at = start + low * 2;
  return low < last && rowBehind(codes, at) === sought ? (codes[at + 1] ?? 0) : -1;
}

function rowBehind(codes: Uint16Array, at: number): number {
  return (codes[at] ?? 0) * TILE + ((codes[at + 1] ?? 0) >> CODE.rowShift);
}

/** A piece of a word's postings, written over by the next. */
export interface PostingPiece {
  readonly rows: Uint32Array;
  readonly counts: Uint16Array;
  size: number;
}

/** All postings of a word, a tile or less at a time: the same piece each time, with other rows in it. */
export function* piecesOf(postings: CodedPostings, word: number): Generator<PostingPiece> {
  const { starts, tables, tiles } = postings;
  const [start, end] = [starts[word] ?? 0, starts[word + 1] ?? 0];
  const table = tables[word] ?? 0;
  if (table === 0) {
    for (let at = start; at < end; at += TILE * 2) yield behindTiles(postings, word, at, Math.min(end, at + TILE * 2));
    return;
  }
  for (let tile = 0, at = start; at < end; tile += 1) {
    const next = tiles[table + tile] ?? end;
    if (next > at) yield ofTile(postings, word, at, next, tile * TILE);
    at = next;
  }
}

const PIECE: PostingPiece = { rows: new Uint32Array(TILE), counts: new Uint16Array(TILE), size: 0 };

function ofTile(postings: CodedPostings, word: number, from: number, to: number, first: number): PostingPiece {
  const { codes } = postings;
  const { rows, counts } = PIECE;
  for (let at = from; at < to; at += 1) {
    const code = codes[at] ?? 0;
    const row = first + (code >> CODE.rowShift);
    rows[at - from] = row;
    counts[at - from] = countOf(postings, code, word, row);
  }
  PIECE.size = to - from;
  return PIECE;
}

function behindTiles(postings: CodedPostings, word: number, from: number, to: number): PostingPiece {
  const { codes } = postings;
  const { rows, counts } = PIECE;
  let size = 0;
  for (let at = from; at < to; at += 2) {
    const row = rowBehind(codes, at);
    rows[size] = row;
    counts[size] = countOf(postings, codes[at + 1] ?? 0, word, row);
    size += 1;
  }
  PIECE.size = size;
  return PIECE;
}
