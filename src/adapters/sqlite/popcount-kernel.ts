// Hamming distances at the speed of memory: a few dozen bytes of WebAssembly, written out here, because JavaScript has no
// instruction that counts bits and WebAssembly has (`i64.popcnt`; no SIMD is asked of the machine).

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
const PAGE = 65_536;

/**
 * A kernel for rows of `words` 32-bit words each, an even number, and at most `queries` queries; null where WebAssembly is
 * not to be had (switched off, or too little address space), for then there are slower ways with the same answer.
 */
export function popcountKernel(words: number, queries: number): PopcountKernel | null {
  try {
    const { Memory, Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi })
      .WebAssembly;
    const rowBytes = words * 4;
    const rows = Math.max(1, Math.floor(BLOCK / rowBytes));
    const rowsAt = queries * rowBytes;
    const distancesAt = rowsAt + rows * rowBytes;
    const memory = new Memory({ initial: Math.ceil((distancesAt + rows * 2) / PAGE) });
    const module = new Module(program(words / 2));
    const { measure } = new Instance(module, { m: { m: memory } }).exports as Exports;
    const all = new Uint32Array(memory.buffer);
    return {
      rows,
      setQueries: (from) => {
        from.forEach((query, at) => {
          all.set(query, at * words);
        });
      },
      setRows: (bits) => all.set(bits, rowsAt / 4),
      measure(query, count) {
        measure(query * rowBytes, rowsAt, rowsAt + count * rowBytes, distancesAt);
        return new Uint16Array(memory.buffer, distancesAt, count);
      },
    };
  } catch {
    return null;
  }
}

type Exports = { readonly measure: (query: number, row: number, end: number, out: number) => void };

/** As much of it as is used here: the types that come with Node leave it out. */
interface WebAssemblyApi {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (program: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

const OP = {
  loop: [0x03, 0x40],
  end: 0x0b,
  brIf: [0x0d, 0],
  get: 0x20,
  set: 0x21,
  tee: 0x22,
  load: [0x29, 3],
  store16: [0x3d, 1, 0],
  i32Const: 0x41,
  i32LessThan: 0x49,
  i32Add: 0x6a,
  add: 0x7c,
  xor: 0x85,
  popcnt: 0x7b,
} as const;
const [QUERY, ROW, END, OUT] = [0, 1, 2, 3];
const I32 = 0x7f;

/**
 * (query, row, end, out): from address `row` to `end`, the bits of each row that differ from the query's, as 16 bits each
 * from address `out`. The pairs of words of one row are written out one after another, without a loop.
 *
 * @param pairs 64-bit words of a row; end > row
 */
function program(pairs: number): Uint8Array<ArrayBuffer> {
  const differing = (at: number) => [
    ...[OP.get, QUERY, ...OP.load, ...unsigned(at * 8)],
    ...[OP.get, ROW, ...OP.load, ...unsigned(at * 8), OP.xor, OP.popcnt],
    ...(at === 0 ? [] : [OP.add]),
  ];
  const body = [
    ...OP.loop,
    ...[OP.get, OUT, ...Array.from({ length: pairs }, (_, at) => differing(at)).flat(), ...OP.store16],
    ...[OP.get, OUT, OP.i32Const, 2, OP.i32Add, OP.set, OUT],
    ...[OP.get, ROW, OP.i32Const, ...signed(pairs * 8), OP.i32Add, OP.tee, ROW],
    ...[OP.get, END, OP.i32LessThan, ...OP.brIf, OP.end, OP.end],
  ];
  const type = [0x60, 4, I32, I32, I32, I32, 0];
  const name = [7, ...Buffer.from("measure")];
  const code = [0, ...body];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, ...type]),
    ...section(2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name, 0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

/** LEB128 of a number ≥ 0 where a signed one is read: the highest bit of the last byte's seven must be free. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >>> 7)];
}
