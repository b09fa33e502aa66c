// What words without a column say of the rows of a few tiles, from their postings: each is read once for all questions that
// ask for it.
import type { Bm25Part } from "./bm25.ts";
import { CODE, type LargeCounts, largeCountIn, largeFrom } from "./coded-postings.ts";
import { BLOCK, TILE } from "./column-kernel.ts";
import { ONE } from "./length-classes.ts";

/** The highest sum: what passes it counts as it. */
export const HIGHEST = 32_767;
/** A share in parts of ONE times a weight is divided by a little more than ONE: by a shift, and then one is added. */
const ONE_BITS = 15;

/** Who asks for a word, and how much it counts there at most. */
export interface Use {
  readonly question: number;
  /** A whole number up to 32,767 so many bits too large. */
  readonly weight: number;
  readonly bits: number;
}

/** A weight as a whole number that is as large as may be, rounded up. */
export function weightOf(units: number): Pick<Use, "weight" | "bits"> {
  let bits = 0;
  while (bits < MOST_BITS && units * 2 ** (bits + 1) <= HIGHEST) bits += 1;
  return { weight: Math.min(HIGHEST, Math.ceil(units * 2 ** bits)), bits };
}

const MOST_BITS = 15;

/** Words that are read by their postings, each once for all questions. */
export interface ReadWords {
  /** Those whose codes are found by a table. */
  readonly common: readonly { readonly word: number; readonly table: number; readonly uses: readonly Use[] }[];
  /** Those whose codes are read one after the other: where the next stands, and where the last ends. */
  readonly rare: readonly { readonly word: number; at: number; readonly end: number; readonly uses: readonly Use[] }[];
  /** Of each rare word the tile in which it stands next. */
  readonly nextTiles: Uint32Array;
}

const NO_TILE = 2 ** 32 - 1;

/** The words as they stand before the first tile. */
export function readWords(
  { tables, starts, codes }: Bm25Part["index"],
  words: ReadonlyMap<number, readonly Use[]>,
): ReadWords {
  const hasTable = (word: number) => (tables[word] ?? 0) > 0;
  const common = [...words].flatMap(([word, uses]) =>
    hasTable(word) ? [{ word, table: (tables[word] ?? 0) - 1, uses }] : [],
  );
  const rare = [...words].flatMap(([word, uses]) =>
    hasTable(word) ? [] : [{ word, at: starts[word] ?? 0, end: starts[word + 1] ?? 0, uses }],
  );
  return { common, rare, nextTiles: Uint32Array.from(rare, (one) => codes[one.at] ?? NO_TILE) };
}

/**
 * Adds what the words say of the rows of a block of tiles, block after block.
 *
 * @param tile the first of them
 * @param end behind the last of them
 * @param sums of the rows of the tiles, for each question
 */
export function addPostings(
  { common, rare, nextTiles }: ReadWords,
  weighed: WeighedIndex,
  tile: number,
  end: number,
  sums: readonly Int16Array[],
): void {
  const { codes, tiles, classes, large } = weighed.index;
  // One for all words: thousands of them a block would cost as much as reading them.
  const of: BlockCodes = {
    ...{ ...weighed, codes, tiles, classes: classes.of, classCount: classes.lengths.length },
    ...{ large, largeStart: largeFrom(large, tile * TILE), largeEnd: largeFrom(large, end * TILE) },
    ...{ tile, end, word: 0 },
  };
  for (let at = 0; at < common.length; at += 1) {
    const one = common[at];
    if (one === undefined) continue;
    of.word = one.word;
    addCommon(of, one.table, one.uses, sums);
  }
  for (let at = 0; at < rare.length; at += 1) {
    const one = rare[at];
    if ((nextTiles[at] ?? NO_TILE) >= end || one === undefined) continue;
    of.word = one.word;
    const size = readRare(of, one.at, one.end);
    one.at += size * 2;
    nextTiles[at] = one.at < one.end ? (codes[one.at] ?? NO_TILE) : NO_TILE;
    addShares(size, one.uses, sums);
  }
}

function addCommon(of: BlockCodes, table: number, uses: readonly Use[], sums: readonly Int16Array[]): void {
  const only = uses[0];
  const sumsOfOnly = sums[only?.question ?? 0];
  if (uses.length === 1 && only !== undefined && sumsOfOnly !== undefined)
    addOnce(of, table, only.weight, only.bits, sumsOfOnly);
  else addShares(readShares(of, table), uses, sums);
}

export interface WeighedIndex {
  readonly index: Bm25Part["index"];
  /** Of each row, its markdown for length. */
  readonly longer: Float64Array;
  /** See shareTable. */
  readonly shares: Uint16Array;
}

/** Codes of one word in a block of tiles; the word is set anew for each. */
interface BlockCodes extends WeighedIndex {
  readonly codes: Uint16Array;
  readonly tiles: Uint32Array;
  /** Of each row, and how many there are. */
  readonly classes: Uint16Array;
  readonly classCount: number;
  readonly large: LargeCounts;
  /** Where those of the block stand: of a million rows the search among all takes a microsecond. */
  readonly largeStart: number;
  readonly largeEnd: number;
  readonly tile: number;
  readonly end: number;
  word: number;
}

/**
 * What readShares and addWeighed do for a word of one question only, without writing places down in between: a text that is
 * asked alone takes 4 to 8 % less, eleven together the same.
 */
function addOnce(of: BlockCodes, table: number, weight: number, bits: number, sums: Int16Array): void {
  const shift = ONE_BITS + bits;
  const { codes, tiles, classes, classCount, shares, tile: block, end } = of;
  let at = tiles[table + block] ?? 0;
  for (let tile = block; tile < end; tile += 1) {
    const to = tiles[table + tile + 1] ?? 0;
    const first = tile * TILE;
    const begin = first - block * TILE;
    for (; at < to; at += 1) {
      const code = codes[at] ?? 0;
      const place = code >> CODE.rowShift;
      const units = code & CODE.mostUnits;
      const share =
        units > 0 ? (shares[units * classCount + (classes[first + place] ?? 0)] ?? 0) : shareOf(of, code, first);
      // Rounded up, so that no row that has a word looks as if it had none.
      sums[begin + place] = Math.min(HIGHEST, (sums[begin + place] ?? 0) + ((share * weight) >> shift) + 1);
    }
  }
}

/** Of a block the rows that have a word, and the word's share there: written over by the next. */
const PLACES = new Uint16Array(BLOCK * TILE);
const SHARES = new Uint16Array(BLOCK * TILE);

/** Returns how many rows have it. */
function readShares(of: BlockCodes, table: number): number {
  const { codes, tiles, classes, classCount, shares, tile: block, end } = of;
  const start = tiles[table + block] ?? 0;
  let at = start;
  for (let tile = block; tile < end; tile += 1) {
    const to = tiles[table + tile + 1] ?? 0;
    const first = tile * TILE;
    const begin = first - block * TILE;
    for (; at < to; at += 1) {
      const code = codes[at] ?? 0;
      const place = code >> CODE.rowShift;
      const units = code & CODE.mostUnits;
      PLACES[at - start] = begin + place;
      SHARES[at - start] =
        units > 0 ? (shares[units * classCount + (classes[first + place] ?? 0)] ?? 0) : shareOf(of, code, first);
    }
  }
  return at - start;
}

/** The same of a rare word, from where it stands next to where its codes end. */
function readRare(of: BlockCodes, from: number, to: number): number {
  const { codes, classes, classCount, shares, tile: block, end } = of;
  let size = 0;
  for (let at = from; at < to && (codes[at] ?? 0) < end; at += 2) {
    const first = (codes[at] ?? 0) * TILE;
    const code = codes[at + 1] ?? 0;
    const place = code >> CODE.rowShift;
    const units = code & CODE.mostUnits;
    PLACES[size] = first - block * TILE + place;
    SHARES[size] =
      units > 0 ? (shares[units * classCount + (classes[first + place] ?? 0)] ?? 0) : shareOf(of, code, first);
    size += 1;
  }
  return size;
}

/** The share of a count that a code has no room for. */
function shareOf({ large, word, longer, largeStart, largeEnd }: BlockCodes, code: number, first: number): number {
  const row = first + (code >> CODE.rowShift);
  const count = largeCountIn(large, word, row, largeStart, largeEnd);
  // A whole number to the compiler too: else the loops around would reckon in fractions.
  return Math.ceil((ONE * count) / (count + (longer[row] ?? 0))) | 0;
}

function addShares(size: number, uses: readonly Use[], sums: readonly Int16Array[]): void {
  for (let use = 0; use < uses.length; use += 1) {
    const one = uses[use];
    const of = sums[one?.question ?? 0];
    if (one !== undefined && of !== undefined) addWeighed(size, one.weight, ONE_BITS + one.bits, of);
  }
}

function addWeighed(size: number, weight: number, shift: number, sums: Int16Array): void {
  for (let at = 0; at < size; at += 1) {
    const place = PLACES[at] ?? 0;
    sums[place] = Math.min(HIGHEST, (sums[place] ?? 0) + (((SHARES[at] ?? 0) * weight) >> shift) + 1);
  }
}
