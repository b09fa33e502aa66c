// What common words say of the rows of a few tiles, from their postings: a loop over codes in WebAssembly, which takes half of
// what JavaScript's takes.
import { CODE } from "./coded-postings.ts";
import { TILE } from "./column-kernel.ts";
import { type FunctionBody, OP, TYPE } from "./wasm-function.ts";

/**
 * A word that a question asks for, as the function reads it, four bytes each: address of the word's table of tiles, weight,
 * by how many bits share times weight is too large, and address of the question's sums.
 */
export const POSTING_ENTRY = 16;

/** Addresses of what is the same for every call, and how many classes of lengths there are. */
export interface PostingPlaces {
  readonly codes: number;
  readonly shares: number;
  readonly classCount: number;
}

/**
 * Adds to the sums of a block of tiles, at most 32767, and 1 more for each row that has a word: rounded up. Counts that a code has
 * no room for count as nothing but that.
 *
 * @param list address of the first entry, and behind the last; at least one
 * @param block bytes of a table before the block's first tile
 * @param tables bytes of a table that are the block's, above 0
 * @param classes address of the class of the block's first row
 */
export type AddPostings = (list: number, listEnd: number, block: number, tables: number, classes: number) => void;

const [LIST, LIST_END, BLOCK_AT, TABLES, CLASSES] = [0, 1, 2, 3, 4];
const [TABLE, TABLE_END, AT, TO, CLASS, SUMS, WEIGHT, SHIFT, CODE_AT, SUM] = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
/** The highest sum. */
const HIGHEST = 32_767;

export function addPostings(places: PostingPlaces): FunctionBody {
  return {
    parameters: Array<number>(5).fill(TYPE.i32),
    results: [],
    locals: Array<number>(10).fill(TYPE.i32),
    body: [
      ...OP.loop,
      ...[...OP.get(LIST), ...OP.i32Load(0), ...OP.get(BLOCK_AT), ...OP.i32Add, ...OP.tee(TABLE)],
      ...[...OP.get(TABLES), ...OP.i32Add, ...OP.set(TABLE_END)],
      ...[...OP.get(LIST), ...OP.i32Load(4), ...OP.set(WEIGHT), ...OP.get(LIST), ...OP.i32Load(8), ...OP.set(SHIFT)],
      ...[...OP.get(LIST), ...OP.i32Load(12), ...OP.set(SUMS), ...OP.get(CLASSES), ...OP.set(CLASS)],
      ...[...codeAddress(0), ...OP.set(AT)],
      ...OP.loop,
      ...[...codeAddress(4), ...OP.set(TO)],
      ...[...OP.get(AT), ...OP.get(TO), ...OP.i32LtU, ...OP.if, ...addTile(places), ...OP.end],
      ...[...OP.get(SUMS), ...OP.i32Const(TILE * 2), ...OP.i32Add, ...OP.set(SUMS)],
      ...[...OP.get(CLASS), ...OP.i32Const(TILE * 2), ...OP.i32Add, ...OP.set(CLASS)],
      ...[...OP.get(TABLE), ...OP.i32Const(4), ...OP.i32Add, ...OP.tee(TABLE)],
      ...[...OP.get(TABLE_END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
      ...[...OP.get(LIST), ...OP.i32Const(POSTING_ENTRY), ...OP.i32Add, ...OP.tee(LIST)],
      ...[...OP.get(LIST_END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
    ],
  };
}

/** Where the codes of a tile begin, from the start of all codes: two bytes each. */
function codeAddress(offset: number): number[] {
  return [...OP.get(TABLE), ...OP.i32Load(offset), ...OP.i32Const(1), ...OP.i32Shl];
}

/** Codes from AT to TO, of which there is at least one. */
function addTile({ codes, shares, classCount }: PostingPlaces): number[] {
  return [
    ...OP.loop,
    ...[...OP.get(AT), ...OP.i32Load16U(codes), ...OP.tee(CODE_AT), ...OP.i32Const(CODE.mostUnits), ...OP.i32And],
    ...[...OP.i32Const(classCount * 2), ...OP.i32Mul],
    // Two bytes for each row's class and sum.
    ...[...OP.get(CODE_AT), ...OP.i32Const(CODE.rowShift), ...OP.i32ShrU, ...OP.i32Const(1), ...OP.i32Shl],
    ...[...OP.tee(CODE_AT), ...OP.get(CLASS), ...OP.i32Add, ...OP.i32Load16U(0), ...OP.i32Const(1), ...OP.i32Shl],
    ...[...OP.i32Add, ...OP.i32Load16U(shares), ...OP.get(WEIGHT), ...OP.i32Mul, ...OP.get(SHIFT), ...OP.i32ShrU],
    ...[...OP.get(SUMS), ...OP.get(CODE_AT), ...OP.i32Add, ...OP.tee(CODE_AT), ...OP.i32Load16U(0), ...OP.i32Add],
    ...[...OP.i32Const(1), ...OP.i32Add, ...OP.set(SUM)],
    ...[...OP.get(CODE_AT), ...OP.get(SUM), ...OP.i32Const(HIGHEST)],
    ...[...OP.get(SUM), ...OP.i32Const(HIGHEST), ...OP.i32LtU, ...OP.select, ...OP.i32Store16],
    ...[...OP.get(AT), ...OP.i32Const(2), ...OP.i32Add, ...OP.tee(AT)],
    ...[...OP.get(TO), ...OP.i32LtU, ...OP.brIf, ...OP.end],
  ];
}
