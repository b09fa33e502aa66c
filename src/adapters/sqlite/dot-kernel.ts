// Sums of products of one query with vectors in bytes, sixteen components at a time (WebAssembly's v128).
import { OP, TYPE, wasmFunction } from "../memory/wasm-function.ts";

export interface DotKernel {
  /**
   * Σ query · stored over the components from `offset`; Σ stored² is then in `squares`. The query is copied when it is
   * another one than before.
   */
  dot(query: Float32Array, stored: Int8Array, offset: number): number;
  squares(): number;
}

/** @param components a multiple of 16; null where there is no WebAssembly with vectors, or they are not such a multiple */
export function dotKernel(components: number): DotKernel | null {
  if (components % LANES !== 0) return null;
  const rowAt = components * 8;
  const squaresAt = rowAt + components;
  const compiled = wasmFunction<(query: number, row: number, end: number, squares: number) => number>(squaresAt + 4, {
    parameters: [TYPE.i32, TYPE.i32, TYPE.i32, TYPE.i32],
    results: [TYPE.f64],
    locals: Array<number>(6).fill(TYPE.v128),
    body: BODY,
  });
  if (compiled === null) return null;
  const { memory, run } = compiled;
  const doubles = new Float64Array(memory, 0, components);
  let copied: Float32Array | null = null;
  const row = new Int8Array(memory, rowAt, components);
  const squares = new Int32Array(memory, squaresAt, 1);
  return {
    dot(query, stored, offset) {
      if (query !== copied) doubles.set(query);
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
const [EVEN, ODD, LENGTH, EIGHT, FOUR, BYTES] = [4, 5, 6, 7, 8, 9];

/** Products and sums in doubles, as JavaScript has them; squares in integers. */
const BODY: readonly number[] = [
  ...OP.loop,
  ...[...OP.get(ROW), ...OP.v128Load(0), ...OP.set(BYTES)],
  ...[0, 1].flatMap((half) => [
    ...[...OP.get(BYTES), ...(half === 0 ? OP.i16x8ExtendLow : OP.i16x8ExtendHigh), ...OP.tee(EIGHT)],
    ...[...OP.get(EIGHT), ...OP.i32x4Dot, ...OP.get(LENGTH), ...OP.i32x4Add, ...OP.set(LENGTH)],
    ...[0, 1].flatMap((quarter) => [
      ...[...OP.get(EIGHT), ...(quarter === 0 ? OP.i32x4ExtendLow : OP.i32x4ExtendHigh), ...OP.set(FOUR)],
      ...added(EVEN, OP.get(FOUR), half * 8 + quarter * 4),
      ...added(ODD, [...OP.get(FOUR), ...OP.get(FOUR), ...OP.upperHalf], half * 8 + quarter * 4 + 2),
    ]),
  ]),
  ...[...OP.get(QUERY), ...OP.i32Const(LANES * 8), ...OP.i32Add, ...OP.set(QUERY)],
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
  ...[...OP.get(EVEN), ...OP.get(ODD), ...OP.f64x2Add, ...OP.set(EVEN)],
  ...sumOf(
    [0, 1].map((lane) => [...OP.get(EVEN), ...OP.f64x2Extract(lane)]),
    OP.f64Add,
  ),
];

/** Adds two components of the row, as 32-bit integers on the stack, times two of the query to a local. */
function added(local: number, integers: readonly number[], component: number): number[] {
  return [
    ...[...integers, ...OP.f64x2ConvertLow, ...OP.get(QUERY), ...OP.v128Load(component * 8), ...OP.f64x2Mul],
    ...[...OP.get(local), ...OP.f64x2Add, ...OP.set(local)],
  ];
}

function sumOf(values: readonly (readonly number[])[], add: readonly number[]): number[] {
  return values.flatMap((value, at) => (at === 0 ? value : [...value, ...add]));
}
