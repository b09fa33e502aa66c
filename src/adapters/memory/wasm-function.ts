// One function of WebAssembly from its instructions: for the few loops in which JavaScript has no instruction for what the
// processor does in one.

/** As much of WebAssembly as is used here: the types that come with Node leave it out. */
interface WebAssemblyApi {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (program: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly run: unknown } };
}

export const TYPE = { i32: 0x7f, i64: 0x7e, f64: 0x7c, v128: 0x7b } as const;

/** Instructions by the names that the specification gives them. */
export const OP = {
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  end: [0x0b],
  brIf: [0x0d, 0],
  /** The first where the third is not 0, else the second. */
  select: [0x1b],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  tee: (local: number) => [0x22, local],
  i32Const: (value: number) => [0x41, ...signed(value)],
  i32LtU: [0x49],
  i32LeU: [0x4d],
  i32Ctz: [0x68],
  i32Popcnt: [0x69],
  i32Add: [0x6a],
  i32Sub: [0x6b],
  i32Mul: [0x6c],
  i32Or: [0x72],
  i32Shl: [0x74],
  i32WrapI64: [0xa7],
  i32And: [0x71],
  i32ShrU: [0x76],
  i32Load8U: (offset: number) => [0x2d, 0, ...unsigned(offset)],
  i32Load16U: (offset: number) => [0x2f, 1, ...unsigned(offset)],
  i32Load: (offset: number) => [0x28, 2, ...unsigned(offset)],
  i32Store: [0x36, 2, 0],
  i32Store8: (offset: number) => [0x3a, 0, ...unsigned(offset)],
  i32Store16: [0x3b, 1, 0],
  i64Load: (offset: number) => [0x29, 3, ...unsigned(offset)],
  i64Add: [0x7c],
  i64Xor: [0x85],
  i64Popcnt: [0x7b],
  f64Add: [0xa0],
  v128Load: (offset: number) => [0xfd, 0x00, 3, ...unsigned(offset)],
  v128Load16Splat: (offset: number) => [0xfd, 0x08, 1, ...unsigned(offset)],
  v128Store: (offset: number) => [0xfd, 0x0b, 3, ...unsigned(offset)],
  v128Const: (bytes: readonly number[]) => [0xfd, 0x0c, ...bytes],
  /** Of the first the bytes that the second names; 0 from 16 on. */
  swizzle: [0xfd, 0x0e],
  v128And: [0xfd, 0x4e],
  v128Or: [0xfd, 0x50],
  v128AnyTrue: [0xfd, 0x53],
  /** Bytes of the first and the second in turn, from the lower or the upper halves. */
  interleaveLow: [0xfd, 0x0d, ...[0, 16, 1, 17, 2, 18, 3, 19], ...[4, 20, 5, 21, 6, 22, 7, 23]],
  interleaveHigh: [0xfd, 0x0d, ...[8, 24, 9, 25, 10, 26, 11, 27], ...[12, 28, 13, 29, 14, 30, 15, 31]],
  /** The upper half in both halves. */
  upperHalf: [0xfd, 0x0d, ...[8, 9, 10, 11, 12, 13, 14, 15], ...[8, 9, 10, 11, 12, 13, 14, 15]],
  i32x4Extract: (lane: number) => [0xfd, 0x1b, lane],
  f64x2Extract: (lane: number) => [0xfd, 0x21, lane],
  i8x16Splat: [0xfd, 0x0f],
  i8x16LeU: [0xfd, 0x2a],
  i8x16GeU: [0xfd, 0x2c],
  i8x16Neg: [0xfd, 0x61],
  i8x16Bitmask: [0xfd, 0x64],
  i8x16ShrU: [0xfd, 0x6d],
  i16x8Splat: [0xfd, 0x10],
  i16x8GeS: [0xfd, 0x35],
  i16x8Q15MulrSat: [0xfd, 0x82, 1],
  i16x8ExtendLow: [0xfd, 0x87, 1],
  i16x8ExtendHigh: [0xfd, 0x88, 1],
  i16x8ExtendLowU: [0xfd, 0x89, 1],
  i16x8ExtendHighU: [0xfd, 0x8a, 1],
  i16x8Add: [0xfd, 0x8e, 1],
  i16x8AddSat: [0xfd, 0x8f, 1],
  i32x4Add: [0xfd, 0xae, 1],
  i32x4Dot: [0xfd, 0xba, 1],
  f64x2Add: [0xfd, 0xf0, 1],
  f64x2ConvertLow: [0xfd, 0xfe, 1],
} as const;

export interface FunctionBody {
  readonly parameters: readonly number[];
  readonly results: readonly number[];
  readonly locals: readonly number[];
  /** Without the last `end`. */
  readonly body: readonly number[];
}

/**
 * A compiled function over a memory of its own.
 *
 * @param bytes of memory
 * @returns null where WebAssembly (or what the function asks of it) is not to be had: switched off, too little address
 *   space, an old processor; there must be another way with the same answer
 */
export function wasmFunction<Run>(
  bytes: number,
  from: FunctionBody,
): { readonly memory: ArrayBuffer; readonly run: Run } | null {
  const made = wasmFunctions<[Run]>(bytes, [from]);
  return made === null ? null : { memory: made.memory, run: made.runs[0] };
}

/** The same of several functions over one memory. */
export function wasmFunctions<Runs extends readonly unknown[]>(
  bytes: number,
  from: readonly FunctionBody[],
): { readonly memory: ArrayBuffer; readonly runs: Runs } | null {
  try {
    const { Memory, Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi })
      .WebAssembly;
    const memory = new Memory({ initial: Math.ceil(bytes / PAGE) });
    const runs = from.map((one) => new Instance(new Module(program(one)), { m: { m: memory } }).exports.run);
    return { memory: memory.buffer, runs: runs as readonly unknown[] as Runs };
  } catch {
    return null;
  }
}

const PAGE = 65_536;

function program({ parameters, results, locals, body }: FunctionBody): Uint8Array<ArrayBuffer> {
  const type = [0x60, parameters.length, ...parameters, results.length, ...results];
  const code = [locals.length, ...locals.flatMap((local) => [1, local]), ...body, ...OP.end];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, ...type]),
    // The memory is imported as m.m, the function exported as run.
    ...section(2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, 3, ...Buffer.from("run"), 0, 0]),
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

/** LEB128 of a number ≥ 0 where a signed one is read: the highest of the last byte's seven bits must be free. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >>> 7)];
}
