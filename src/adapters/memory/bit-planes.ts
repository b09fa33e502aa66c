// Sign bits of many rows: all words of a row together, or, where rows are many, the first apart from the others.
import { type BitSketches, MOST_SKETCHED, sketchesSlowly } from "./bit-sketches.ts";
import { type PopcountRows, popcountRows } from "./popcount-rows.ts";
import { sketchKernel } from "./sketch-kernel.ts";

export interface BitPlanes {
  /** 32-bit words of a row. */
  readonly words: number;
  /** The words of each row, row after row; without the first where these stand apart. */
  readonly bits: Uint32Array;
  /** First words: 0 where they do not stand apart. */
  readonly sketchWords: number;
  readonly sketches: BitSketches | null;
  /** What measures the rows where they lie; null where they are few, or stand apart. */
  readonly resident: PopcountRows | null;
}

/**
 * From so many rows on a sketch is worth while. Of a million synthetic rows three thousandths are near enough by it to be read
 * whole, and eleven questions take 31 ms of processor time instead of 74; of 100,000 four tenths are, and it takes longer.
 */
const SKETCHED_FROM = 250_000;
/** From so many rows on they lie where they are measured: a memory of WebAssembly's own takes room for addresses and 64 kB. */
const RESIDENT_FROM = 8_192;
/** 256 bits: four registers hold those of a query, and a byte holds a distance. */
const SKETCH_WORDS = 8;
/** Of shorter rows 256 bits would not be a small part. */
const LEAST_WORDS = 32;

/** From how many rows on they lie in WebAssembly's memory, and stand in two planes; and what for. Else given by tests only. */
export interface PlaneChoice {
  readonly residentFrom: number;
  readonly sketchedFrom: number;
  /** The way without WebAssembly: null. */
  readonly kernels: { readonly sketch: typeof sketchKernel; readonly rows: typeof popcountRows } | null;
}

const USUAL: PlaneChoice = {
  residentFrom: RESIDENT_FROM,
  sketchedFrom: SKETCHED_FROM,
  kernels: { sketch: sketchKernel, rows: popcountRows },
};

/**
 * Room for the bits of so many rows, all zero.
 *
 * @param words 32-bit words of a row, an even number
 */
export function bitPlanes(rows: number, words: number, given: Partial<PlaneChoice> = {}): BitPlanes {
  const { residentFrom, sketchedFrom, kernels } = { ...USUAL, ...given };
  if (rows >= sketchedFrom && words >= LEAST_WORDS) {
    const sketches = kernels?.sketch(rows, SKETCH_WORDS, words) ?? sketchesSlowly(rows, SKETCH_WORDS, words);
    return { words, bits: sketches.rest, sketchWords: SKETCH_WORDS, sketches, resident: null };
  }
  const resident = (rows >= residentFrom ? kernels?.rows(rows, words, MOST_SKETCHED) : null) ?? null;
  const bits = resident?.bits ?? new Uint32Array(rows * words);
  return { words, bits, sketchWords: 0, sketches: null, resident };
}

/** @param row its bits, four bytes for each of its words */
export function putBits({ words, bits, sketchWords, sketches }: BitPlanes, at: number, row: Uint8Array): void {
  const restWords = words - sketchWords;
  if (sketches !== null) bytesOf(sketches.sketch).set(row.subarray(0, sketchWords * 4), at * sketchWords * 4);
  bytesOf(bits).set(sketchWords === 0 ? row : row.subarray(sketchWords * 4), at * restWords * 4);
}

const views = new WeakMap<Uint32Array, Uint8Array>();

function bytesOf(words: Uint32Array): Uint8Array {
  const known = views.get(words);
  if (known !== undefined) return known;
  const view = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  views.set(words, view);
  return view;
}

/** Copies the words of a row to `into`, from its word `to` on. A loop of 32 is quicker than two views. */
export function copyBits({ words, bits, sketchWords, sketches }: BitPlanes, at: number, into: Uint32Array, to: number) {
  const [first, rest] = [at * sketchWords, at * (words - sketchWords) - sketchWords];
  for (let word = 0; word < sketchWords; word += 1) into[to + word] = sketches?.sketch[first + word] ?? 0;
  for (let word = sketchWords; word < words; word += 1) into[to + word] = bits[rest + word] ?? 0;
}

/** Bytes of these bits, and of the distances that a search keeps of them. */
export function planeBytes({ bits, sketchWords, sketches }: BitPlanes): number {
  if (sketches === null) return bits.byteLength;
  return bits.byteLength + sketches.sketch.byteLength + (sketches.sketch.length / sketchWords) * MOST_SKETCHED;
}
