// Rows of sign bits in WebAssembly's memory, where they are searched without being copied: JavaScript has no instruction that
// counts bits, and WebAssembly has.
import { type BitSketches, FARTHEST, MOST_SKETCHED, ROWS_TOLD } from "./bit-sketches.ts";
import { OP, TYPE, wasmFunctions } from "./wasm-function.ts";

/** 128 kB of first words stay in the second-level cache while every query passes over them. */
const BLOCK = 4_096;
/** WebAssembly's addresses have 32 bits. */
const MOST_BYTES = 2 ** 32 - 2 ** 16;
/** Rows of which a distance is compared at a time. */
const LANES = 16;

/**
 * Room for rows, all zero.
 *
 * @param sketchWords of `words` 32-bit words of a row, both even
 * @returns null where there is no WebAssembly, or not so much of its memory
 */
export function sketchKernel(rows: number, sketchWords: number, words: number): BitSketches | null {
  const at = addressesOf(rows, sketchWords * 4, words * 4);
  if (at.end > MOST_BYTES) return null;
  const [pairs, restPairs] = [sketchWords / 2, (words - sketchWords) / 2];
  const compiled = wasmFunctions<[Measure, Count, List, Rest]>(at.end, [
    { ...takes(4, 0), locals: [TYPE.i32, ...Array<number>(pairs).fill(TYPE.i64)], body: measured(pairs) },
    { ...takes(4, 1), locals: [TYPE.i32, TYPE.v128], body: counted() },
    {
      ...takes(6, 1),
      locals: [...Array<number>(2).fill(TYPE.i32), ...Array<number>(2).fill(TYPE.v128)],
      body: listed(),
    },
    { ...takes(5, 1), locals: Array<number>(3).fill(TYPE.i32), body: measuredWhole(restPairs) },
  ]);
  if (compiled === null) return null;
  const { memory, runs } = compiled;
  const [measure, count, list, rest] = runs;
  const admits = new Uint8Array(memory, at.admitted, rows);
  let admittedLast: Uint8Array | null = null;
  return {
    sketch: new Uint32Array(memory, at.sketch, rows * sketchWords),
    rest: new Uint32Array(memory, at.rest, rows * (words - sketchWords)),
    measure(queries, admitted) {
      if (admitted !== admittedLast) admits.set(admitted);
      admittedLast = admitted;
      for (const [query, of] of queries.entries()) new Uint32Array(memory, at.query(query), words).set(of);
      for (let first = 0; first < rows; first += BLOCK) {
        const from = at.sketch + first * sketchWords * 4;
        const to = from + Math.min(BLOCK, rows - first) * sketchWords * 4;
        for (const query of queries.keys()) measure(at.query(query), from, to, at.distances(query) + first);
      }
    },
    count(query, first, distance) {
      const distances = at.distances(query) + first;
      const to = distances + Math.min(ROWS_TOLD, rows - first);
      return count(distances, to, at.admitted + first, Math.min(distance, FARTHEST));
    },
    near(query, first, [low, high], limit) {
      const distances = at.distances(query) + first;
      const to = distances + Math.min(ROWS_TOLD, rows - first);
      const near = list(distances, to, at.admitted + first, low, Math.min(high, FARTHEST), at.near);
      if (near === at.near || low > high) return new Uint32Array();
      const rests = at.rest + first * restPairs * 8;
      const end = rest(at.query(query) + sketchWords * 4, at.near, near, rests, limit);
      return new Uint32Array(memory, at.near, (end - at.near) / 4);
    },
  };
}

/** Where what lies in the memory. Rows are measured by two and compared by sixteen: behind the last there is room for more. */
function addressesOf(rows: number, sketchBytes: number, rowBytes: number) {
  const padded = aligned(rows + LANES);
  const near = aligned(MOST_SKETCHED * rowBytes);
  const admitted = aligned(near + (ROWS_TOLD + 1) * 4);
  const distances = admitted + padded;
  const sketch = distances + padded * MOST_SKETCHED;
  const rest = aligned(sketch + (rows + 1) * sketchBytes);
  return {
    ...{ near, admitted, sketch, rest, end: rest + rows * (rowBytes - sketchBytes) },
    query: (number: number) => number * rowBytes,
    distances: (query: number) => distances + query * padded,
  };
}

/** To where a cache line begins. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

function takes(parameters: number, results: number) {
  return {
    parameters: Array<number>(parameters).fill(TYPE.i32),
    results: Array<number>(results).fill(TYPE.i32),
  };
}

type Measure = (query: number, row: number, end: number, into: number) => void;
type Count = (distances: number, end: number, admitted: number, most: number) => number;
type List = (distances: number, end: number, admitted: number, low: number, high: number, near: number) => number;
type Rest = (query: number, listed: number, end: number, rests: number, limit: number) => number;

/**
 * The distances of first words from address `row` to `end` go to address `into`, a byte each. Two rows at a time; the query stays
 * in registers. What is told is asked later, sixteen rows at a time: counting distances here would more than double the time.
 *
 * @param pairs 64-bit words of a sketch; end > row
 */
function measured(pairs: number): number[] {
  const [QUERY, ROW, END, INTO, DISTANCE, WORDS] = [0, 1, 2, 3, 4, 5];
  const row = (offset: number) => [
    ...Array.from({ length: pairs }, (_, at) => [
      ...[...OP.get(WORDS + at), ...OP.get(ROW), ...OP.i64Load((offset * pairs + at) * 8), ...OP.i64Xor],
      ...[...OP.i64Popcnt, ...(at === 0 ? [] : OP.i64Add)],
    ]).flat(),
    // 256 becomes 255.
    ...[...OP.i32WrapI64, ...OP.tee(DISTANCE), ...OP.get(DISTANCE), ...OP.i32Const(8), ...OP.i32ShrU, ...OP.i32Sub],
    ...OP.set(DISTANCE),
    ...[...OP.get(INTO), ...OP.get(DISTANCE), ...OP.i32Store8(offset)],
  ];
  return [
    ...Array.from({ length: pairs }, (_, at) => [
      ...OP.get(QUERY),
      ...OP.i64Load(at * 8),
      ...OP.set(WORDS + at),
    ]).flat(),
    ...OP.loop,
    ...row(0),
    ...row(1),
    ...[...OP.get(INTO), ...OP.i32Const(2), ...OP.i32Add, ...OP.set(INTO)],
    ...[...OP.get(ROW), ...OP.i32Const(pairs * 16), ...OP.i32Add, ...OP.tee(ROW)],
    ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
  ];
}

/** How many distances from address `distances` to `end` are at most `most` and may be told; end > distances. */
function counted(): number[] {
  const [DISTANCES, END, ADMITTED, MOST, COUNT, MOSTS] = [0, 1, 2, 3, 4, 5];
  return [
    ...[...OP.get(MOST), ...OP.i8x16Splat, ...OP.set(MOSTS)],
    ...OP.loop,
    ...[...OP.get(COUNT), ...OP.get(DISTANCES), ...OP.v128Load(0), ...OP.get(MOSTS), ...OP.i8x16LeU],
    ...[...OP.get(ADMITTED), ...OP.v128Load(0), ...OP.i8x16Neg, ...OP.v128And, ...OP.i8x16Bitmask],
    ...[...OP.i32Popcnt, ...OP.i32Add, ...OP.set(COUNT)],
    ...[...OP.get(ADMITTED), ...OP.i32Const(LANES), ...OP.i32Add, ...OP.set(ADMITTED)],
    ...[...OP.get(DISTANCES), ...OP.i32Const(LANES), ...OP.i32Add, ...OP.tee(DISTANCES)],
    ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end, ...OP.get(COUNT)],
  ];
}

/**
 * Of the distances from address `distances` to `end` those from `low` to `high` that may be told go to address `near` as
 * row · 65536 + distance; end > distances. Sixteen at a time, of which as a rule none is such.
 */
function listed(): number[] {
  const [DISTANCES, END, ADMITTED, LOW, HIGH, NEAR, AT, FOUND, LEAST, MOST] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  return [
    ...[...OP.get(LOW), ...OP.i8x16Splat, ...OP.set(LEAST), ...OP.get(HIGH), ...OP.i8x16Splat, ...OP.set(MOST)],
    ...OP.loop,
    ...[...OP.get(DISTANCES), ...OP.v128Load(0), ...OP.get(LEAST), ...OP.i8x16GeU],
    ...[...OP.get(DISTANCES), ...OP.v128Load(0), ...OP.get(MOST), ...OP.i8x16LeU, ...OP.v128And],
    ...[...OP.get(ADMITTED), ...OP.v128Load(0), ...OP.i8x16Neg, ...OP.v128And, ...OP.i8x16Bitmask, ...OP.tee(FOUND)],
    ...OP.if,
    ...OP.loop,
    // LOW and HIGH are not needed any more: LOW is the place among the sixteen.
    ...[...OP.get(NEAR), ...OP.get(FOUND), ...OP.i32Ctz, ...OP.tee(LOW)],
    ...[...OP.get(AT), ...OP.i32Add, ...OP.i32Const(16), ...OP.i32Shl],
    ...[...OP.get(DISTANCES), ...OP.get(LOW), ...OP.i32Add, ...OP.i32Load8U(0), ...OP.i32Or, ...OP.i32Store],
    ...[...OP.get(NEAR), ...OP.i32Const(4), ...OP.i32Add, ...OP.set(NEAR)],
    ...[...OP.get(FOUND), ...OP.get(FOUND), ...OP.i32Const(1), ...OP.i32Sub, ...OP.i32And, ...OP.tee(FOUND)],
    ...[...OP.brIf, ...OP.end, ...OP.end],
    ...[...OP.get(AT), ...OP.i32Const(LANES), ...OP.i32Add, ...OP.set(AT)],
    ...[...OP.get(ADMITTED), ...OP.i32Const(LANES), ...OP.i32Add, ...OP.set(ADMITTED)],
    ...[...OP.get(DISTANCES), ...OP.i32Const(LANES), ...OP.i32Add, ...OP.tee(DISTANCES)],
    ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end, ...OP.get(NEAR)],
  ];
}

/**
 * Of what is listed from address `listed` to `end` with the distances of first words, those that are near enough by all words
 * are written from `listed` on with the distances of all. Without a branch that a processor could not foresee: several rows
 * are on their way from memory at a time.
 *
 * @param pairs 64-bit words of a row's rest; end > listed
 */
function measuredWhole(pairs: number): number[] {
  const [QUERY, LISTED, END, RESTS, LIMIT, ONE, ROW, NEAR] = [0, 1, 2, 3, 4, 5, 6, 7];
  return [
    ...[...OP.get(LISTED), ...OP.set(NEAR)],
    ...OP.loop,
    ...[...OP.get(LISTED), ...OP.i32Load(0), ...OP.tee(ONE)],
    ...[...OP.i32Const(16), ...OP.i32ShrU, ...OP.i32Const(pairs * 8), ...OP.i32Mul],
    ...[...OP.get(RESTS), ...OP.i32Add, ...OP.set(ROW)],
    ...Array.from({ length: pairs }, (_, at) => [
      ...[...OP.get(QUERY), ...OP.i64Load(at * 8), ...OP.get(ROW), ...OP.i64Load(at * 8), ...OP.i64Xor],
      ...[...OP.i64Popcnt, ...(at === 0 ? [] : OP.i64Add)],
    ]).flat(),
    ...[...OP.i32WrapI64, ...OP.get(ONE), ...OP.i32Add, ...OP.set(ONE)],
    ...[...OP.get(NEAR), ...OP.get(ONE), ...OP.i32Store],
    ...[...OP.get(NEAR), ...OP.get(ONE), ...OP.i32Const(65_535), ...OP.i32And, ...OP.get(LIMIT), ...OP.i32LeU],
    ...[...OP.i32Const(2), ...OP.i32Shl, ...OP.i32Add, ...OP.set(NEAR)],
    ...[...OP.get(LISTED), ...OP.i32Const(4), ...OP.i32Add, ...OP.tee(LISTED)],
    ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end, ...OP.get(NEAR)],
  ];
}
