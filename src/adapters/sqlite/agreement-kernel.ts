// How well sign bits agree with a query that is not rounded to bits: the sum of its components where the bits are set. Four bits at a
// time, by tables of what each sixteen of them sum up to, which stand in a register each and are asked for sixteen rows at once:
// F. André, A.-M. Kermarrec and N. Le Scouarnec, "Cache locality is not enough: High-Performance Nearest Neighbor Search with
// Product Quantization Fast Scan", PVLDB 9 (2015).
import { OP, TYPE, wasmFunction } from "../memory/wasm-function.ts";

export interface AgreementKernel {
  /** Of each row what the tables sum up to: four bits from 4p on, the first the lowest, are looked up in table p. */
  scores(tables: Uint8Array, rows: ScatteredRows): Uint16Array;
}

/** Sign bits of rows that lie here and there: row i in `bytes[in[i]]` from `offsets[i]`, a byte for eight components. */
export interface ScatteredRows {
  readonly bytes: readonly Uint8Array[];
  readonly in: Uint32Array;
  readonly offsets: Float64Array;
}

/** Sums of a table. */
const TABLE = 16;
/** What all tables together sum up to fits into 16 bits, and each sum into 8. */
const [MOST_TOGETHER, MOST] = [65_535, 255];

/**
 * For each four components what any of them sum up to, less the least that they can: in equal steps, of which the four with the
 * widest range take 255 (fewer from 2,048 components on).
 *
 * @param query as many components as rows have bits, a multiple of 8
 */
export function agreementTables(query: Float32Array): Uint8Array {
  const count = query.length / 4;
  const tables = new Uint8Array(count * TABLE);
  const steps = Math.min(MOST, Math.floor(MOST_TOGETHER / count)) / (widestOf(query) || 1);
  for (let at = 0; at < query.length; at += 4) fillTable(tables, at * (TABLE / 4), query, at, steps);
  return tables;
}

/** The widest range of what any of four components sum up to. */
function widestOf(query: Float32Array): number {
  let widest = 0;
  for (let at = 0; at < query.length; at += 4) {
    let range = 0;
    for (let bit = at; bit < at + 4; bit += 1) range += Math.abs(query[bit] ?? 0);
    if (range > widest) widest = range;
  }
  return widest;
}

const sums = new Float64Array(TABLE);

/** What any four bits sum up to is what they do without the highest, and its component. */
function fillTable(tables: Uint8Array, start: number, query: Float32Array, first: number, steps: number): void {
  // Where nothing is added is what the negative ones take away: no sum is below 0. Half a step rounds.
  let least = 0.5;
  for (let bit = first; bit < first + 4; bit += 1) least -= Math.min(0, query[bit] ?? 0) * steps;
  sums[0] = least;
  for (let bit = 0, size = 1; bit < 4; bit += 1, size *= 2) {
    const component = (query[first + bit] ?? 0) * steps;
    for (let rest = 0; rest < size; rest += 1) sums[size + rest] = (sums[rest] ?? 0) + component;
  }
  for (let at = 0; at < TABLE; at += 1) tables[start + at] = sums[at] ?? 0;
}

/** @param components a multiple of 128; null where there is no WebAssembly with vectors, or they are not such a multiple */
export function agreementKernel(components: number): AgreementKernel | null {
  const size = components / 8;
  if (size % LANES !== 0) return null;
  const tableBytes = size * 2 * TABLE;
  const scoresAt = tableBytes;
  const bitsAt = scoresAt + BLOCK * 2;
  const compiled = wasmFunction<(bits: number, end: number, scores: number) => void>(bitsAt + BLOCK * size, {
    parameters: Array<number>(3).fill(TYPE.i32),
    results: [],
    locals: [...Array<number>(3).fill(TYPE.i32), ...Array<number>(LANES * 2 + 3).fill(TYPE.v128)],
    body: sumRows(size),
  });
  if (compiled === null) return null;
  const { memory, run } = compiled;
  const held = new Uint8Array(memory, 0, tableBytes);
  const words = new Uint32Array(memory, bitsAt, (BLOCK * size) / 4);
  const scored = new Uint16Array(memory, scoresAt, BLOCK);
  return {
    scores(tables, rows) {
      held.set(tables);
      const scores = new Uint16Array(rows.offsets.length);
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

/** The same in TypeScript, of one row: what the kernel is held against, and the way without WebAssembly. */
export function agreementSlowly(tables: Uint8Array, bits: Uint8Array, offset: number): number {
  let sum = 0;
  for (let table = 0; table < tables.length / TABLE; table += 2) {
    const byte = bits[offset + table / 2] ?? 0;
    sum += (tables[table * TABLE + (byte & 15)] ?? 0) + (tables[(table + 1) * TABLE + (byte >> 4)] ?? 0);
  }
  return sum;
}

/** Rows that are summed up together, and bytes of each that are at a time. */
const LANES = 16;
const [BITS, END, SCORES, AT, TABLES, ROW_END] = [0, 1, 2, 3, 4, 5];
/** Bytes of sixteen rows, and where they are put in another order. */
const [ROWS, TURNED] = [6, 6 + LANES];
const [FOUR_BITS, FIRST, SECOND] = [6 + LANES * 2, 7 + LANES * 2, 8 + LANES * 2];

/**
 * Of the rows from address `bits` to `end` the sums, which go to `scores`, two bytes each; what lies behind them up to a multiple of
 * sixteen rows is summed up too.
 */
function sumRows(size: number): number[] {
  return [
    ...[...OP.v128Const(Array<number>(LANES).fill(15)), ...OP.set(FOUR_BITS)],
    ...OP.loop,
    ...[...OP.get(BITS), ...OP.tee(AT), ...OP.i32Const(size), ...OP.i32Add, ...OP.set(ROW_END)],
    ...[...OP.i32Const(0), ...OP.set(TABLES)],
    ...[...OP.v128Const(Array<number>(LANES).fill(0)), ...OP.tee(FIRST), ...OP.set(SECOND)],
    ...OP.loop,
    ...each((row) => [...OP.get(AT), ...OP.v128Load(row * size), ...OP.set(ROWS + row)]),
    ...[...turned(ROWS, TURNED), ...turned(TURNED, ROWS), ...turned(ROWS, TURNED), ...turned(TURNED, ROWS)],
    ...each((byte) => [
      ...lookedUp(byte * 2, [...OP.get(ROWS + byte), ...OP.get(FOUR_BITS), ...OP.v128And]),
      ...lookedUp(byte * 2 + 1, [...OP.get(ROWS + byte), ...OP.i32Const(4), ...OP.i8x16ShrU]),
    ]),
    ...[...OP.get(TABLES), ...OP.i32Const(LANES * 2 * TABLE), ...OP.i32Add, ...OP.set(TABLES)],
    ...[...OP.get(AT), ...OP.i32Const(LANES), ...OP.i32Add, ...OP.tee(AT)],
    ...[...OP.get(ROW_END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
    ...[...OP.get(SCORES), ...OP.get(FIRST), ...OP.v128Store(0)],
    ...[...OP.get(SCORES), ...OP.get(SECOND), ...OP.v128Store(LANES)],
    ...[...OP.get(SCORES), ...OP.i32Const(LANES * 2), ...OP.i32Add, ...OP.set(SCORES)],
    ...[...OP.get(BITS), ...OP.i32Const(LANES * size), ...OP.i32Add, ...OP.tee(BITS)],
    ...[...OP.get(END), ...OP.i32LtU, ...OP.brIf, ...OP.end],
  ];
}

function each(code: (at: number) => readonly number[]): number[] {
  return Array.from({ length: LANES }, (_, at) => code(at)).flat();
}

/** Bytes of the first and the second half in turn: four times, and byte b of row r is byte r of row b. */
function turned(from: number, to: number): number[] {
  return Array.from({ length: LANES / 2 }, (_, at) => {
    const both = [...OP.get(from + at), ...OP.get(from + at + LANES / 2)];
    return [
      ...both,
      ...OP.interleaveLow,
      ...OP.set(to + at * 2),
      ...both,
      ...OP.interleaveHigh,
      ...OP.set(to + at * 2 + 1),
    ];
  }).flat();
}

/** Adds what a table says of sixteen numbers of four bits: of the first eight rows to one sum, of the others to the second. */
function lookedUp(table: number, numbers: readonly number[]): number[] {
  return [
    ...[...OP.get(TABLES), ...OP.v128Load(table * TABLE), ...numbers, ...OP.swizzle, ...OP.set(TURNED)],
    ...[...OP.get(FIRST), ...OP.get(TURNED), ...OP.i16x8ExtendLowU, ...OP.i16x8Add, ...OP.set(FIRST)],
    ...[...OP.get(SECOND), ...OP.get(TURNED), ...OP.i16x8ExtendHighU, ...OP.i16x8Add, ...OP.set(SECOND)],
  ];
}
