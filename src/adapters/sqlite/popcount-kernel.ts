// Hamming distances at the speed of memory: JavaScript has no instruction that counts bits, and WebAssembly has.
import { OP, TYPE, wasmFunction } from "./wasm-function.ts";

/** Distances of up to `rows` rows at a time, between bits copied in and queries copied in. */
export interface PopcountKernel {
  /** Rows that one call measures at most. */
  readonly rows: number;
  /** Queries, one after another. */
  setQueries(queries: readonly Uint32Array[]): void;
  /** Rows, one after another, at most `rows` of them. */
  setRows(bits: Uint32Array): void;
  /** Distances of the first `count` rows to a query; good until the next call. */
  measure(query: number, count: number): Uint16Array;
}

/** Bytes of rows that are copied in at a time: they stay in the second-level cache while every query passes over them. */
const BLOCK = 128 * 1024;

/**
 * A kernel for rows of `words` 32-bit words each, an even number, and at most `queries` queries; null where there is no
 * WebAssembly.
 */
export function popcountKernel(words: number, queries: number): PopcountKernel | null {
  const rowBytes = words * 4;
  const rows = Math.max(1, Math.floor(BLOCK / rowBytes));
  const rowsAt = queries * rowBytes;
  const distancesAt = rowsAt + rows * rowBytes;
  const compiled = wasmFunction<Measure>(distancesAt + rows * 2, {
    parameters: [TYPE.i32, TYPE.i32, TYPE.i32, TYPE.i32],
    results: [],
    locals: [],
    body: measureRows(words / 2),
  });
  if (compiled === null) return null;
  const { memory, run } = compiled;
  const all = new Uint32Array(memory);
  return {
    rows,
    setQueries: (from) => {
      from.forEach((query, at) => {
        all.set(query, at * words);
      });
    },
    setRows: (bits) => all.set(bits, rowsAt / 4),
    measure(query, count) {
      run(query * rowBytes, rowsAt, rowsAt + count * rowBytes, distancesAt);
      return new Uint16Array(memory, distancesAt, count);
    },
  };
}

type Measure = (query: number, row: number, end: number, out: number) => void;
const [QUERY, ROW, END, OUT] = [0, 1, 2, 3];

/**
 * From address `row` to `end`, the bits of each row that differ from the query's, as 16 bits each from address `out`. The
 * pairs of words of one row are written out one after another, without a loop.
 *
 * @param pairs 64-bit words of a row; end > row
 */
function measureRows(pairs: number): number[] {
  const differing = Array.from({ length: pairs }, (_, at) => [
    ...[...OP.get(QUERY), ...OP.i64Load(at * 8), ...OP.get(ROW), ...OP.i64Load(at * 8), ...OP.i64Xor, ...OP.i64Popcnt],
    ...(at === 0 ? [] : OP.i64Add),
  ]);
  return [
    ...OP.loop,
    ...[...OP.get(OUT), ...differing.flat(), ...OP.i64Store16],
    ...[...OP.get(OUT), ...OP.i32Const(2), ...OP.i32Add, ...OP.set(OUT)],
    ...[...OP.get(ROW), ...OP.i32Const(pairs * 8), ...OP.i32Add, ...OP.tee(ROW)],
    ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
  ];
}
