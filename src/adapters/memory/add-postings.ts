// What words without a column say of the rows of a few tiles, from their postings: in WebAssembly where the index lies there, else
// here.
import type { Bm25Part } from "./bm25.ts";
import { CODE, largeFrom } from "./coded-postings.ts";
import { TILE } from "./column-kernel.ts";
import { ONE } from "./length-classes.ts";
import type { WeighedWord } from "./word-kernel.ts";

/** The highest sum: what passes it counts as it. */
export const HIGHEST = 32_767;
/** A share in parts of ONE times a weight is divided by a little more than ONE: by a shift, and then one is added. */
const ONE_BITS = 15;

/** Who asks for a word, and how much it counts there at most. */
export interface Use extends Omit<WeighedWord, "table"> {
  readonly question: number;
}

/** A weight as a whole number that is as large as may be, rounded up. */
export function weightOf(units: number): Pick<Use, "weight" | "bits"> {
  let bits = 0;
  while (bits < MOST_BITS && units * 2 ** (bits + 1) <= HIGHEST) bits += 1;
  return { weight: Math.min(HIGHEST, Math.ceil(units * 2 ** bits)), bits };
}

const MOST_BITS = 15;

/** Words that are read by their postings. */
export interface ReadWords {
  /** By question, those whose codes are found by a table, for the kernel; null where these are `common`. */
  readonly inKernel: ReadonlyMap<number, readonly WeighedWord[]> | null;
  readonly common: readonly { readonly table: number; readonly use: Use }[];
  /** Those whose codes are read one after the other. */
  readonly rare: readonly Reading[];
  /** Of each rare word the tile in which it stands next. */
  readonly nextTiles: Uint32Array;
  /** Those with counts that a code has no room for, which stand in `large` of the index. */
  readonly large: readonly Reading[];
}

/** A word of which so much is read: where the next stands, and where the last ends. */
interface Reading {
  at: number;
  readonly end: number;
  readonly uses: readonly Use[];
}

const NO_TILE = 2 ** 32 - 1;

/** The words as they stand before the first tile. */
export function readWords(
  { tables, starts, codes, kernel, large }: Bm25Part["index"],
  usesOf: ReadonlyMap<number, readonly Use[]>,
): ReadWords {
  const common: { table: number; use: Use }[] = [];
  const rare: Reading[] = [];
  const withLarge: Reading[] = [];
  for (const [word, uses] of usesOf) {
    const table = tables[word] ?? 0;
    if (table === 0) rare.push({ at: starts[word] ?? 0, end: starts[word + 1] ?? 0, uses });
    else common.push(...uses.map((use) => ({ table: table - 1, use })));
    const at = largeFrom(large, word, 0);
    if (large.words[at] === word) withLarge.push({ at, end: largeFrom(large, word + 1, 0), uses });
  }
  const fits = kernel?.fits(common.length) === true;
  return {
    inKernel: fits ? byQuestion(common) : null,
    common: fits ? [] : common,
    rare,
    nextTiles: Uint32Array.from(rare, (one) => codes[one.at] ?? NO_TILE),
    large: withLarge,
  };
}

function byQuestion(common: ReadWords["common"]): Map<number, WeighedWord[]> {
  const words = new Map<number, WeighedWord[]>();
  for (const { table, use } of common) {
    const ofQuestion = words.get(use.question) ?? [];
    words.set(use.question, ofQuestion);
    ofQuestion.push({ table, weight: use.weight, bits: use.bits });
  }
  return words;
}

export interface WeighedIndex {
  readonly index: Bm25Part["index"];
  /** Of each row, its markdown for length. */
  readonly longer: Float64Array;
  /** See shareTable. */
  readonly shares: Uint16Array;
}

/**
 * Adds what the words say of the rows of a block of tiles, block after block. Each sum is rounded up for each word, so that no row
 * that has one looks as if it had none.
 *
 * @param tile the first of them
 * @param end behind the last of them
 * @param sums of the rows of the tiles, for each question: the kernel's own where there is one
 */
export function addPostings(
  words: ReadWords,
  weighed: WeighedIndex,
  tile: number,
  end: number,
  sums: readonly Int16Array[],
): void {
  const block: Block = { tile, end, ...weighed };
  if (words.inKernel !== null) weighed.index.kernel?.addPostings(tile, end);
  for (const { table, use } of words.common) addCommon(block, table, use, sums[use.question] ?? NO_SUMS);
  addRare(words, block, sums);
  addLarge(words, block, sums);
}

const NO_SUMS = new Int16Array();

interface Block extends WeighedIndex {
  readonly tile: number;
  readonly end: number;
}

/** As the kernel does it. */
function addCommon({ index, shares, tile: block, end }: Block, table: number, use: Use, sums: Int16Array): void {
  const { codes, tiles, classes } = index;
  const [ofRows, classCount] = [classes.of, classes.lengths.length];
  const { weight, bits } = use;
  const shift = ONE_BITS + bits;
  let at = tiles[table + block] ?? 0;
  for (let tile = block; tile < end; tile += 1) {
    const to = tiles[table + tile + 1] ?? 0;
    const first = tile * TILE;
    const begin = first - block * TILE;
    for (; at < to; at += 1) {
      const code = codes[at] ?? 0;
      const place = code >> CODE.rowShift;
      const share = shares[(code & CODE.mostUnits) * classCount + (ofRows[first + place] ?? 0)] ?? 0;
      sums[begin + place] = Math.min(HIGHEST, (sums[begin + place] ?? 0) + ((share * weight) >> shift) + 1);
    }
  }
}

function addRare({ rare, nextTiles }: ReadWords, block: Block, sums: readonly Int16Array[]): void {
  for (let word = 0; word < rare.length; word += 1) {
    const one = rare[word];
    if ((nextTiles[word] ?? NO_TILE) < block.end && one !== undefined) nextTiles[word] = addCodes(block, one, sums);
  }
}

/** Those of the block; returns the tile in which the word stands next. */
function addCodes(block: Block, one: Reading, sums: readonly Int16Array[]): number {
  const { codes } = block.index;
  for (; one.at < one.end; one.at += 2) {
    const tile = codes[one.at] ?? 0;
    if (tile >= block.end) return tile;
    addCode(block, one.uses, tile, codes[one.at + 1] ?? 0, sums);
  }
  return NO_TILE;
}

/** One code of a rare word. */
function addCode(block: Block, uses: readonly Use[], tile: number, code: number, sums: readonly Int16Array[]): void {
  const { classes } = block.index;
  const row = tile * TILE + (code >> CODE.rowShift);
  const share = block.shares[(code & CODE.mostUnits) * classes.lengths.length + (classes.of[row] ?? 0)] ?? 0;
  for (let use = 0; use < uses.length; use += 1) addTo(sums, uses[use], row - block.tile * TILE, share, 1);
}

/** Counts that a code has no room for: the words have been added, and counted for nothing. */
function addLarge({ large }: ReadWords, { index, longer, tile, end }: Block, sums: readonly Int16Array[]): void {
  const { rows, counts } = index.large;
  for (const one of large) {
    for (; one.at < one.end && (rows[one.at] ?? 0) < end * TILE; one.at += 1) {
      const [row, count] = [rows[one.at] ?? 0, counts[one.at] ?? 0];
      const share = Math.ceil((ONE * count) / (count + (longer[row] ?? 0)));
      for (const use of one.uses) addTo(sums, use, row - tile * TILE, share, 0);
    }
  }
}

function addTo(sums: readonly Int16Array[], use: Use | undefined, place: number, share: number, more: number): void {
  const of = sums[use?.question ?? 0];
  if (of === undefined || use === undefined) return;
  of[place] = Math.min(HIGHEST, (of[place] ?? 0) + ((share * use.weight) >> (ONE_BITS + use.bits)) + more);
}
