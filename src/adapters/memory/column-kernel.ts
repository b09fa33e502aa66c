// Weighted sums of columns of bytes, many rows at a time: what common words say for each row, and which rows it makes good
// enough to be looked at (WebAssembly's v128).
import { type FunctionBody, OP, TYPE } from "./wasm-function.ts";

/** Rows of a tile: a tile of all columns stays in the second-level cache while every question passes over it. */
export const TILE = 2048;
/**
 * Tiles whose sums stand side by side: what a word's postings say of one tile alone is so little that fetching it would take
 * longer than adding it up.
 */
export const BLOCK = 4;
/** A byte of a column says so many parts of a whole. */
export const WHOLE = 127;
/** Rows that are told as one when one of them is good enough. */
export const GROUP = 16;
/** Questions that are answered in one pass. */
export const MOST_QUESTIONS = 16;

/** A column and its weight, 0–32767. */
export interface WeighedColumn {
  readonly column: number;
  readonly weight: number;
}

/** A weighed column as the function reads it: where the column begins in its tile (4 bytes), and its weight (2). */
export const COLUMN_ENTRY = 8;

/** The same in TypeScript, for one tile: what the function is held against. */
export function addColumnsSlowly(
  bytes: Uint8Array,
  columns: number,
  tile: number,
  weighed: readonly WeighedColumn[],
  sums: Int16Array,
): void {
  for (const { column, weight } of weighed) {
    const from = (tile * columns + column) * TILE;
    for (let row = 0; row < TILE; row += 1) {
      const product = ((bytes[from + row] ?? 0) * 256 * weight + 0x4000) >> 15;
      sums[row] = Math.min(32_767, (sums[row] ?? 0) + product);
    }
  }
}

/**
 * @param bytes address of the tile's first column
 * @param list address of the first weighed column, and behind the last; at least one
 * @param sums address of the tile's sums, and behind the last
 * @param enough what a sum must reach for its group to be told
 * @param found address for the addresses of the first sums of such groups, two bytes each
 * @returns the address behind the last that was found
 */
export type AddColumns = (
  bytes: number,
  list: number,
  listEnd: number,
  sums: number,
  end: number,
  enough: number,
  found: number,
) => number;
const [BYTES, LIST, LIST_END, SUM, END, ENOUGH, FOUND, ENTRY_AT, COLUMN] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
/** Sums of a turn of the outer loop, eight rows each. */
const SUMS = 8;
const [FIRST_SUM, WEIGHT, EIGHT_BITS, NOTHING, LEAST] = [9, 17, 18, 19, 20];

/** For every 64 rows: the sums as they stand, all columns added to them, and back, with what was found. */
const BODY: readonly number[] = [
  ...[...OP.get(ENOUGH), ...OP.i16x8Splat, ...OP.set(LEAST)],
  ...OP.loop,
  ...each(SUMS, (at) => [...OP.get(SUM), ...OP.v128Load(at * 16), ...OP.set(FIRST_SUM + at)]),
  ...[...OP.get(LIST), ...OP.set(ENTRY_AT)],
  ...OP.loop,
  ...[...OP.get(BYTES), ...OP.get(ENTRY_AT), ...OP.i32Load(0), ...OP.i32Add, ...OP.set(COLUMN)],
  ...[...OP.get(ENTRY_AT), ...OP.v128Load16Splat(4), ...OP.set(WEIGHT)],
  ...each(SUMS / 2, (at) => [
    ...[...OP.get(COLUMN), ...OP.v128Load(at * 16), ...OP.set(EIGHT_BITS)],
    ...added(FIRST_SUM + at * 2, OP.interleaveLow),
    ...added(FIRST_SUM + at * 2 + 1, OP.interleaveHigh),
  ]),
  ...[...OP.get(ENTRY_AT), ...OP.i32Const(COLUMN_ENTRY), ...OP.i32Add, ...OP.tee(ENTRY_AT)],
  ...[...OP.get(LIST_END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
  ...each(SUMS, (at) => [...OP.get(SUM), ...OP.get(FIRST_SUM + at), ...OP.v128Store(at * 16)]),
  ...each(SUMS / 2, (at) => [
    ...[...OP.get(FIRST_SUM + at * 2), ...OP.get(LEAST), ...OP.i16x8GeS],
    ...[...OP.get(FIRST_SUM + at * 2 + 1), ...OP.get(LEAST), ...OP.i16x8GeS],
    ...[...OP.v128Or, ...OP.v128AnyTrue, ...OP.if],
    ...[...OP.get(FOUND), ...OP.get(SUM), ...OP.i32Const(at * 32), ...OP.i32Add, ...OP.i32Store16],
    ...[...OP.get(FOUND), ...OP.i32Const(2), ...OP.i32Add, ...OP.set(FOUND), ...OP.end],
  ]),
  ...[...OP.get(BYTES), ...OP.i32Const(SUMS * 8), ...OP.i32Add, ...OP.set(BYTES)],
  ...[...OP.get(SUM), ...OP.i32Const(SUMS * 16), ...OP.i32Add, ...OP.tee(SUM)],
  ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
  ...OP.get(FOUND),
];

/** Adds byte · weight / 128 of each column to the sums of a tile, rounded, at most 32767. */
export const ADD_COLUMNS: FunctionBody = {
  parameters: Array<number>(7).fill(TYPE.i32),
  results: [TYPE.i32],
  locals: [TYPE.i32, TYPE.i32, ...Array<number>(SUMS + 4).fill(TYPE.v128)],
  body: BODY,
};

/** Adds eight bytes times the weight: a byte in the upper half of 16 bits is 256 times as much. */
function added(sum: number, interleave: readonly number[]): number[] {
  return [
    ...[...OP.get(sum), ...OP.get(NOTHING), ...OP.get(EIGHT_BITS), ...interleave],
    ...[...OP.get(WEIGHT), ...OP.i16x8Q15MulrSat, ...OP.i16x8AddSat, ...OP.set(sum)],
  ];
}

function each(count: number, code: (at: number) => readonly number[]): number[] {
  return Array.from({ length: count }, (_, at) => code(at)).flat();
}
