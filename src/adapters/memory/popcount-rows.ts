// Hamming distances at the speed of memory: JavaScript has no instruction that counts bits, and WebAssembly has. Rows that
// are too far are passed over in there, so that JavaScript sees only the few that matter.
import { OP, TYPE, wasmFunction } from "./wasm-function.ts";

/** Rows of sign bits in WebAssembly's memory, where they are measured: a large repository's for good, others' copied in. */
export interface PopcountRows {
  /** Rows that one call measures at most, an even number: they stay in the second-level cache while every query passes over them. */
  readonly atOnce: number;
  /** The bits of the rows, row after row. */
  readonly bits: Uint32Array;
  /** Queries, one after another. */
  setQueries(queries: readonly Uint32Array[]): void;
  /** 1 where a row may be told, else 0, of the first rows; an array that was given before has the same in it. */
  admit(admitted: Uint8Array): void;
  /**
   * Of `count` rows from `first` on, an even number, those that may be told and differ from a query in at most `limit` bits:
   * row · 65536 + distance, rows counted from `first` on, good until the next call. Only the last rows may be of an odd number.
   */
  near(query: number, first: number, count: number, limit: number): Uint32Array;
}

/** Bytes of rows that are measured at a time. */
const BLOCK = 128 * 1024;
/** A row's number has 16 bits. */
const MOST_ROWS = 32_768;
/** WebAssembly's addresses have 32 bits. */
const MOST_BYTES = 2 ** 32 - 2 ** 16;

/** How many rows of so many words are measured at a time. */
export function rowsAtOnce(words: number): number {
  return Math.min(MOST_ROWS, Math.max(2, 2 * Math.floor(BLOCK / (words * 8))));
}

/**
 * Room for so many rows of `words` 32-bit words each, an even number, and at most `queries` queries; null where there is no
 * WebAssembly, or not so much of its memory.
 */
export function popcountRows(rows: number, words: number, queries: number): PopcountRows | null {
  const [rowBytes, atOnce] = [words * 4, rowsAtOnce(words)];
  const nearAt = queries * rowBytes;
  const rowsAt = Math.ceil((nearAt + (atOnce + 2) * 4) / 64) * 64;
  // Two rows are measured at a time: behind the last there is room for another, which may not be told.
  const admittedAt = rowsAt + (rows + 1) * rowBytes;
  const size = admittedAt + rows + 1;
  const compiled =
    size > MOST_BYTES
      ? null
      : wasmFunction<Near>(size, {
          parameters: Array<number>(6).fill(TYPE.i32),
          results: [TYPE.i32],
          locals: [TYPE.i32, TYPE.i64, TYPE.i64, TYPE.i64],
          body: nearRows(words / 2),
        });
  if (compiled === null) return null;
  const { memory, run } = compiled;
  const asked = new Uint32Array(memory, 0, queries * words);
  const admits = new Uint8Array(memory, admittedAt, rows + 1);
  let admittedLast: Uint8Array | null = null;
  return {
    atOnce,
    bits: new Uint32Array(memory, rowsAt, rows * words),
    setQueries: (from) => {
      from.forEach((query, at) => {
        asked.set(query, at * words);
      });
    },
    admit(admitted) {
      if (admitted === admittedLast) return;
      admits.set(admitted);
      admits[admitted.length] = 0;
      admittedLast = admitted;
    },
    near(query, first, count, limit) {
      const row = rowsAt + first * rowBytes;
      const end = run(query * rowBytes, row, row + count * rowBytes, admittedAt + first, limit, nearAt);
      return new Uint32Array(memory, nearAt, (end - nearAt) / 4);
    },
  };
}

type Near = (query: number, row: number, end: number, admitted: number, limit: number, near: number) => number;
const [QUERY, ROW, END, ADMITTED, LIMIT, NEAR, AT, WORD, FIRST, SECOND] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/**
 * From address `row` to `end`: rows that differ in few enough bits are written to address `near`, and the next one over
 * those that may not be told. Two rows at a time, so that each word of the query is read once for both; their words are
 * written out one after another, without a loop.
 *
 * @param pairs 64-bit words of a row; end > row
 */
function nearRows(pairs: number): number[] {
  const differing = (distance: number, offset: number, at: number) => [
    ...[...OP.get(WORD), ...OP.get(ROW), ...OP.i64Load(offset), ...OP.i64Xor, ...OP.i64Popcnt],
    ...(at === 0 ? [] : [...OP.get(distance), ...OP.i64Add]),
    ...OP.set(distance),
  ];
  return [
    ...OP.loop,
    ...Array.from({ length: pairs }, (_, at) => [
      ...[...OP.get(QUERY), ...OP.i64Load(at * 8), ...OP.set(WORD)],
      ...differing(FIRST, at * 8, at),
      ...differing(SECOND, (pairs + at) * 8, at),
    ]).flat(),
    ...tellWhenNear(FIRST),
    ...tellWhenNear(SECOND),
    ...[...OP.get(ROW), ...OP.i32Const(pairs * 16), ...OP.i32Add, ...OP.tee(ROW)],
    ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end, ...OP.get(NEAR)],
  ];
}

/** And goes on to the next row. */
function tellWhenNear(distance: number): number[] {
  return [
    ...[...OP.get(distance), ...OP.i32WrapI64, ...OP.get(LIMIT), ...OP.i32LeU, ...OP.if],
    ...[...OP.get(NEAR), ...OP.get(AT), ...OP.i32Const(16), ...OP.i32Shl],
    ...[...OP.get(distance), ...OP.i32WrapI64, ...OP.i32Or, ...OP.i32Store],
    ...[...OP.get(NEAR), ...OP.get(ADMITTED), ...OP.get(AT), ...OP.i32Add, ...OP.i32Load8U(0)],
    ...[...OP.i32Const(2), ...OP.i32Shl, ...OP.i32Add, ...OP.set(NEAR), ...OP.end],
    ...[...OP.get(AT), ...OP.i32Const(1), ...OP.i32Add, ...OP.set(AT)],
  ];
}
