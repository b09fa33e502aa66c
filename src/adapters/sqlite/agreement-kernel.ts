// How well sign bits agree with a query that is not rounded to bits: the sum of its components where the bits are set, eight
// at a time (WebAssembly's v128).
import { OP, TYPE, wasmFunction } from "../memory/wasm-function.ts";

export interface AgreementKernel {
  /**
   * For each row Σ of the query's components whose bit is set: component i is bit i mod 8 of byte i div 8. Good until the
   * next call.
   */
  scores(query: Int16Array, rows: readonly BitRow[]): Int32Array;
}

/** Sign bits of one row: from `offset`, as many bytes as the query has components, by eight. */
export interface BitRow {
  readonly bytes: Uint8Array;
  readonly offset: number;
}

/** @param components a multiple of 32; null where there is no WebAssembly with vectors, or they are not such a multiple */
export function agreementKernel(components: number): AgreementKernel | null {
  if (components % 32 !== 0) return null;
  const size = components / 8;
  const scoresAt = components * 2;
  const bitsAt = scoresAt + BLOCK * 4;
  const compiled = wasmFunction<(query: number, bits: number, end: number, rowBytes: number, scores: number) => void>(
    bitsAt + BLOCK * size,
    { parameters: Array<number>(5).fill(TYPE.i32), results: [], locals: [TYPE.i32, TYPE.i32, TYPE.v128], body: BODY },
  );
  if (compiled === null) return null;
  const { memory, run } = compiled;
  const ofQuery = new Int16Array(memory, 0, components);
  const words = new Uint32Array(memory, bitsAt, (BLOCK * size) / 4);
  const scored = new Int32Array(memory, scoresAt, BLOCK);
  return {
    scores(query, rows) {
      ofQuery.set(query);
      const scores = new Int32Array(rows.length);
      for (let first = 0; first < rows.length; first += BLOCK) {
        const count = Math.min(BLOCK, rows.length - first);
        copyRows(rows, first, count, words, size / 4);
        run(0, bitsAt, bitsAt + count * size, size, scoresAt);
        scores.set(scored.subarray(0, count), first);
      }
      return scores;
    },
  };
}

/** Rows that are copied in at a time. */
const BLOCK = 256;

/** By words where they are aligned: a loop of 32 is quicker than a view for each row. */
function copyRows(rows: readonly BitRow[], first: number, count: number, words: Uint32Array, size: number): void {
  let buffer: ArrayBufferLike | null = null;
  let from: Uint32Array = new Uint32Array();
  for (let at = 0; at < count; at += 1) {
    const row = rows[first + at];
    if (row === undefined) continue;
    const { bytes, offset } = row;
    const start = bytes.byteOffset + offset;
    if (start % 4 !== 0) {
      new Uint8Array(words.buffer, words.byteOffset).set(bytes.subarray(offset, offset + size * 4), at * size * 4);
      continue;
    }
    if (bytes.buffer !== buffer) from = new Uint32Array(bytes.buffer, 0, Math.floor(bytes.buffer.byteLength / 4));
    buffer = bytes.buffer;
    for (let word = 0; word < size; word += 1) words[at * size + word] = from[start / 4 + word] ?? 0;
  }
}

/** The same in TypeScript: what the kernel is held against, and the way without WebAssembly. */
export function agreementSlowly(query: Int16Array, bits: Uint8Array, offset: number): number {
  let sum = 0;
  for (let at = 0; at < query.length; at += 8) {
    const byte = bits[offset + (at >> 3)] ?? 0;
    for (let bit = 0; bit < 8; bit += 1) sum += -((byte >> bit) & 1) & (query[at + bit] ?? 0);
  }
  return sum;
}

const LANES = 8;
const [QUERY, BITS, END, ROW_BYTES, SCORES, COMPONENT, ROW_END, SUM] = [0, 1, 2, 3, 4, 5, 6, 7];
/** One bit for each of eight lanes of 16. */
const EACH_BIT = OP.v128Const(Array.from({ length: LANES }, (_, lane) => [1 << lane, 0]).flat());
const NOTHING = OP.v128Const(Array<number>(16).fill(0));

/** A lane whose bit is set becomes −1: its product with the query is what is taken away. */
const BODY: readonly number[] = [
  ...OP.loop,
  ...[...NOTHING, ...OP.set(SUM), ...OP.get(QUERY), ...OP.set(COMPONENT)],
  ...[...OP.get(BITS), ...OP.get(ROW_BYTES), ...OP.i32Add, ...OP.set(ROW_END)],
  ...OP.loop,
  // Four bytes a turn: a row has a multiple of them.
  ...[0, 1, 2, 3].flatMap((byte) => [
    ...[...OP.get(SUM), ...OP.get(BITS), ...OP.v128Load8Splat(byte), ...EACH_BIT, ...OP.v128And, ...EACH_BIT],
    ...[...OP.i16x8Eq, ...OP.get(COMPONENT), ...OP.v128Load(byte * LANES * 2), ...OP.i32x4Dot],
    ...[...OP.i32x4Sub, ...OP.set(SUM)],
  ]),
  ...[...OP.get(COMPONENT), ...OP.i32Const(4 * LANES * 2), ...OP.i32Add, ...OP.set(COMPONENT)],
  ...[...OP.get(BITS), ...OP.i32Const(4), ...OP.i32Add, ...OP.tee(BITS)],
  ...[...OP.get(ROW_END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
  ...OP.get(SCORES),
  ...[0, 1, 2, 3].flatMap((lane) => [...[...OP.get(SUM), ...OP.i32x4Extract(lane)], ...(lane === 0 ? [] : OP.i32Add)]),
  ...[...OP.i32Store, ...OP.get(SCORES), ...OP.i32Const(4), ...OP.i32Add, ...OP.set(SCORES)],
  ...[...OP.get(BITS), ...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
];
