// How well sign bits agree with a query that is not rounded to bits: the sum of its components where the bits are set. Four
// bits at a time, by a table of what each sixteen of them sum up to: twice as fast as eight products at a time.
import { OP, TYPE, wasmFunction } from "../memory/wasm-function.ts";

export interface AgreementKernel {
  /** For each row Σ of the query's components whose bit is set: component i is bit i mod 8 of byte i div 8. */
  scores(query: Int16Array, rows: ScatteredRows): Int32Array;
}

/** Sign bits of rows that lie here and there: row i in `bytes[in[i]]` from `offsets[i]`, a byte for eight components. */
export interface ScatteredRows {
  readonly bytes: readonly Uint8Array[];
  readonly in: Uint32Array;
  readonly offsets: Float64Array;
}

/** @param components a multiple of 32; null where there is no WebAssembly, or they are not such a multiple */
export function agreementKernel(components: number): AgreementKernel | null {
  if (components % 32 !== 0) return null;
  const size = components / 8;
  const scoresAt = size * TABLES * TABLE * 4;
  const bitsAt = scoresAt + BLOCK * 4;
  const compiled = wasmFunction<(bits: number, end: number, scores: number) => void>(bitsAt + BLOCK * size, {
    parameters: Array<number>(3).fill(TYPE.i32),
    results: [],
    locals: Array<number>(3).fill(TYPE.i32),
    body: sumRows(size),
  });
  if (compiled === null) return null;
  const { memory, run } = compiled;
  const tables = new Int32Array(memory, 0, scoresAt / 4);
  const words = new Uint32Array(memory, bitsAt, (BLOCK * size) / 4);
  const scored = new Int32Array(memory, scoresAt, BLOCK);
  return {
    scores(query, rows) {
      fillTables(tables, query);
      const scores = new Int32Array(rows.offsets.length);
      for (let first = 0; first < scores.length; first += BLOCK) {
        const count = Math.min(BLOCK, scores.length - first);
        copyRows(rows, first, count, words, size / 4);
        run(bitsAt, bitsAt + count * size, scoresAt);
        scores.set(scored.subarray(0, count), first);
      }
      return scores;
    },
  };
}

/** Rows that are copied in at a time. */
const BLOCK = 256;
/** Sums of a table, and tables of a byte. */
const [TABLE, TABLES] = [16, 2];

/** One table after another: what any four bits sum up to is what they do without the highest, and its component. */
function fillTables(tables: Int32Array, query: Int16Array): void {
  for (let at = 0; at < query.length; at += 4) {
    const table = at * (TABLE / 4);
    for (let bit = 0; bit < 4; bit += 1) {
      const component = query[at + bit] ?? 0;
      const highest = table + (1 << bit);
      for (let rest = 0; rest < 1 << bit; rest += 1) tables[highest + rest] = (tables[table + rest] ?? 0) + component;
    }
  }
}

function copyRows(rows: ScatteredRows, first: number, count: number, words: Uint32Array, size: number): void {
  const { bytes, in: lies, offsets } = rows;
  let lay = -1;
  let from: Uint32Array | null = null;
  let begin = 0;
  for (let at = 0; at < count; at += 1) {
    const lie = lies[first + at] ?? 0;
    if (lie !== lay) {
      const all = bytes[lie] ?? NOTHING;
      begin = all.byteOffset;
      from = new Uint32Array(all.buffer, 0, Math.floor(all.buffer.byteLength / 4));
      lay = lie;
    }
    const start = begin + (offsets[first + at] ?? 0);
    if (from !== null && start % 4 === 0) copyWords(from, start / 4, words, at * size, size);
    else copyBytes(bytes[lie] ?? NOTHING, offsets[first + at] ?? 0, words, at * size, size);
  }
}

/** A loop of 32 is quicker than a view for each row. */
function copyWords(from: Uint32Array, start: number, words: Uint32Array, to: number, size: number): void {
  for (let word = 0; word < size; word += 1) words[to + word] = from[start + word] ?? 0;
}

/** Of rows that are not aligned, as those out of the file may be. */
function copyBytes(bytes: Uint8Array, offset: number, words: Uint32Array, to: number, size: number): void {
  new Uint8Array(words.buffer, words.byteOffset).set(bytes.subarray(offset, offset + size * 4), to * 4);
}

const NOTHING = new Uint8Array();

/** The same in TypeScript: what the kernel is held against, and the way without WebAssembly. */
export function agreementSlowly(query: Int16Array, bits: Uint8Array, offset: number): number {
  let sum = 0;
  for (let at = 0; at < query.length; at += 8) {
    const byte = bits[offset + (at >> 3)] ?? 0;
    for (let bit = 0; bit < 8; bit += 1) sum += -((byte >> bit) & 1) & (query[at + bit] ?? 0);
  }
  return sum;
}

const [BITS, END, SCORES, BYTE, LOW, HIGH] = [0, 1, 2, 3, 4, 5];

/** Of the rows from address `bits` to `end` the sums, which go to `scores`. The bytes of a row are written out, without a loop. */
function sumRows(size: number): number[] {
  const tableOf = (at: number) => at * TABLES * TABLE * 4;
  return [
    ...OP.loop,
    ...[...OP.i32Const(0), ...OP.set(LOW), ...OP.i32Const(0), ...OP.set(HIGH)],
    ...Array.from({ length: size }, (_, at) => [
      ...[...OP.get(BITS), ...OP.i32Load8U(at), ...OP.tee(BYTE)],
      // Times four, since a sum has four bytes.
      ...[...OP.i32Const(0x0f), ...OP.i32And, ...OP.i32Const(2), ...OP.i32Shl, ...OP.i32Load(tableOf(at))],
      ...[...OP.get(LOW), ...OP.i32Add, ...OP.set(LOW)],
      ...[...OP.get(BYTE), ...OP.i32Const(2), ...OP.i32ShrU, ...OP.i32Const(0x3c), ...OP.i32And],
      ...[...OP.i32Load(tableOf(at) + TABLE * 4), ...OP.get(HIGH), ...OP.i32Add, ...OP.set(HIGH)],
    ]).flat(),
    ...[...OP.get(SCORES), ...OP.get(LOW), ...OP.get(HIGH), ...OP.i32Add, ...OP.i32Store],
    ...[...OP.get(SCORES), ...OP.i32Const(4), ...OP.i32Add, ...OP.set(SCORES)],
    ...[...OP.get(BITS), ...OP.i32Const(size), ...OP.i32Add, ...OP.tee(BITS)],
    ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
  ];
}
