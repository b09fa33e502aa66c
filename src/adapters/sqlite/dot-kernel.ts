// Sums of products of one query with vectors in bytes, sixteen components at a time (WebAssembly's v128).
import { OP, TYPE, wasmFunction } from "../memory/wasm-function.ts";

export interface DotKernel {
  /**
   * Σ query · stored over the components from `offset`; Σ stored² is then in `squares`. The query is copied when it is
   * another one than before.
   *
   * @param query see inWholeNumbers
   */
  dot(query: Int16Array, stored: Int8Array, offset: number): number;
  squares(): number;
}

/** @param components a multiple of 16; null where there is no WebAssembly with vectors, or they are not such a multiple */
export function dotKernel(components: number): DotKernel | null {
  if (components % LANES !== 0) return null;
  const rowAt = components * 2;
  const squaresAt = rowAt + components;
  const compiled = wasmFunction<(query: number, row: number, end: number, squares: number) => number>(squaresAt + 4, {
    parameters: [TYPE.i32, TYPE.i32, TYPE.i32, TYPE.i32],
    results: [TYPE.f64],
    locals: Array<number>(5).fill(TYPE.v128),
    body: BODY,
  });
  if (compiled === null) return null;
  const { memory, run } = compiled;
  const asked = new Int16Array(memory, 0, components);
  let copied: Int16Array | null = null;
  const row = new Int8Array(memory, rowAt, components);
  const squares = new Int32Array(memory, squaresAt, 1);
  return {
    dot(query, stored, offset) {
      if (query !== copied) asked.set(query);
      copied = query;
      row.set(stored.subarray(offset, offset + components));
      return run(0, rowAt, squaresAt, squaresAt);
    },
    squares: () => squares[0] ?? 0,
  };
}

/** Components of a turn of the loop. */
const LANES = 16;
const [QUERY, ROW, END, SQUARES] = [0, 1, 2, 3];
const [SUM, LENGTH, BYTES, EIGHT, BOTH] = [4, 5, 6, 7, 8];

const BODY: readonly number[] = [
  ...OP.loop,
  ...[...OP.get(ROW), ...OP.v128Load(0), ...OP.set(BYTES)],
  ...[OP.i16x8ExtendLow, OP.i16x8ExtendHigh].flatMap((extend, half) => [
    ...[...OP.get(BYTES), ...extend, ...OP.tee(EIGHT), ...OP.get(EIGHT), ...OP.i32x4Dot],
    ...[...OP.get(LENGTH), ...OP.i32x4Add, ...OP.set(LENGTH)],
    ...[...OP.get(EIGHT), ...OP.get(QUERY), ...OP.v128Load(half * 16), ...OP.i32x4Dot],
    ...[...OP.get(SUM), ...OP.i32x4Add, ...OP.set(SUM)],
  ]),
  ...[...OP.get(QUERY), ...OP.i32Const(LANES * 2), ...OP.i32Add, ...OP.set(QUERY)],
  ...[...OP.get(ROW), ...OP.i32Const(LANES), ...OP.i32Add, ...OP.tee(ROW)],
  ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
  ...[
    ...OP.get(SQUARES),
    ...sumOf(
      [0, 1, 2, 3].map((lane) => [...OP.get(LENGTH), ...OP.i32x4Extract(lane)]),
      OP.i32Add,
    ),
  ],
  ...OP.i32Store,
  // Four sums that each fit into 32 bits: together they may not.
  ...[...OP.get(SUM), ...OP.f64x2ConvertLow, ...OP.get(SUM), ...OP.get(SUM), ...OP.upperHalf],
  ...[...OP.f64x2ConvertLow, ...OP.f64x2Add, ...OP.set(BOTH)],
  ...sumOf(
    [0, 1].map((lane) => [...OP.get(BOTH), ...OP.f64x2Extract(lane)]),
    OP.f64Add,
  ),
];

function sumOf(values: readonly (readonly number[])[], add: readonly number[]): number[] {
  return values.flatMap((value, at) => (at === 0 ? value : [...value, ...add]));
}
