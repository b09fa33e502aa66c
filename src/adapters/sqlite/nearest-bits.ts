// Nearest by sign bits: one pass over bits in memory for any number of queries, exact, any number of candidates at the
// same price.
import { type PopcountKernel, popcountKernel } from "./popcount-kernel.ts";

/** Rows of sign bits, one after another, `words` 32-bit words each (an even number), and 1 where a row may be chosen. */
export interface BitRows {
  readonly bits: Uint32Array;
  readonly words: number;
  /** Among equals the smaller id is chosen. */
  readonly ids: Float64Array;
  readonly admitted: Uint8Array;
}

/** A row of one of the parts. */
export interface ChosenRow<Part> {
  readonly part: Part;
  readonly row: number;
}

/**
 * For each query the `wanted` rows with the smallest Hamming distance to it over all parts; among equals the smaller
 * ids. Not in order.
 *
 * @param queries as many words each as the rows have
 * @param kernel null for the way without WebAssembly: the same answer, several times as slowly
 */
export function nearestBits<Part extends BitRows>(
  parts: readonly Part[],
  queries: readonly Uint32Array[],
  wanted: number,
  kernel: PopcountKernel | null = kernelFor(queries[0]?.length ?? 2, queries.length),
): ChosenRow<Part>[][] {
  const nearest = queries.map((query) => nearestSoFar<Part>(query.length * 32, wanted));
  kernel?.setQueries(queries);
  for (const part of parts) {
    const rowsAtOnce = kernel?.rows ?? BLOCK;
    for (let first = 0; first < part.ids.length; first += rowsAtOnce) {
      const count = Math.min(rowsAtOnce, part.ids.length - first);
      const rows = part.bits.subarray(first * part.words, (first + count) * part.words);
      kernel?.setRows(rows, part.admitted.subarray(first, first + count));
      for (const [at, query] of queries.entries()) {
        const soFar = nearest[at];
        const limit = soFar?.limit() ?? 0;
        soFar?.add(part, first, kernel?.near(at, count, limit) ?? nearSlowly(part, first, count, query, limit));
      }
    }
  }
  return nearest.map((ofQuery) => ofQuery.chosen());
}

/** Queries that the kernel that is kept measures in one pass. */
const TOGETHER = 16;
/** Rows at a time without the kernel. */
const BLOCK = 1024;
const kernels = new Map<number, PopcountKernel | null>();

function kernelFor(words: number, queries: number): PopcountKernel | null {
  // Compiled once for each length of rows, of which there is about one.
  if (!kernels.has(words)) kernels.set(words, popcountKernel(words, TOGETHER));
  return queries > TOGETHER ? popcountKernel(words, queries) : (kernels.get(words) ?? null);
}

interface NearestSoFar<Part> {
  /** Rows that are farther are not wanted. */
  limit(): number;
  /** @param near rows of the part that are admitted and not too far, counted from `first` on: row · 65536 + distance */
  add(part: Part, first: number, near: Uint32Array): void;
  chosen(): ChosenRow<Part>[];
}

/** Candidates taken up before it is worked out anew how far the last one wanted is. */
const PATIENCE = 64;

/**
 * Takes up only rows that are no farther than the last one wanted among those seen before: of a hundred thousand a few
 * thousand.
 */
function nearestSoFar<Part extends BitRows>(bits: number, wanted: number): NearestSoFar<Part> {
  const histogram = new Uint32Array(bits + 1);
  // Side by side: thousands of small objects would cost more than measuring the rows.
  const taken: { readonly parts: Part[]; readonly rows: number[]; readonly distances: number[] } = {
    parts: [],
    rows: [],
    distances: [],
  };
  let limit = bits;
  let since = 0;
  return {
    limit: () => limit,
    add(part, first, near) {
      for (const one of near) {
        const distance = one & 0xffff;
        taken.parts.push(part);
        taken.rows.push(first + (one >>> 16));
        taken.distances.push(distance);
        histogram[distance] = (histogram[distance] ?? 0) + 1;
      }
      since += near.length;
      if (since < PATIENCE) return;
      since = 0;
      limit = Math.min(bits, cutOff(histogram, wanted).limit);
    },
    chosen() {
      const { limit: last, below } = cutOff(histogram, wanted);
      const near: ChosenRow<Part>[] = [];
      const ties: (ChosenRow<Part> & { readonly id: number })[] = [];
      for (let at = 0; at < taken.distances.length; at += 1) {
        if ((taken.distances[at] ?? 0) > last) continue;
        const one = { part: taken.parts[at] as Part, row: taken.rows[at] ?? 0 };
        if (taken.distances[at] === last) ties.push({ ...one, id: one.part.ids[one.row] ?? 0 });
        else near.push(one);
      }
      ties.sort((one, other) => one.id - other.id);
      return near.concat(ties.slice(0, wanted - below));
    },
  };
}

/** The distance of the last row wanted, and how many rows are nearer than that. */
function cutOff(histogram: Uint32Array, wanted: number): { readonly limit: number; readonly below: number } {
  let below = 0;
  for (let limit = 0; limit < histogram.length; limit += 1) {
    const here = histogram[limit] ?? 0;
    if (below + here >= wanted) return { limit, below };
    below += here;
  }
  return { limit: histogram.length, below };
}

/** What the kernel does. */
function nearSlowly(part: BitRows, first: number, count: number, query: Uint32Array, limit: number): Uint32Array {
  const { bits, words, admitted } = part;
  const near: number[] = [];
  for (let row = 0; row < count; row += 1) {
    if (admitted[first + row] !== 1) continue;
    let distance = 0;
    for (let from = 0; from < words; from += GROUP) {
      distance += differing(bits, (first + row) * words + from, query, from, Math.min(GROUP, words - from));
    }
    if (distance <= limit) near.push(row * 65_536 + distance);
  }
  return Uint32Array.from(near);
}

/** Words whose differing bits fit into four sums of 8 bits each: 16 · 8 = 128. */
const GROUP = 16;

/**
 * Bits that differ in `count` words, an even number. Two words are folded together before their sums are widened, and
 * the four sums are added up once at the end: 1.8 times as fast as counting word by word. `| 0` keeps integers.
 */
function differing(bits: Uint32Array, at: number, query: Uint32Array, from: number, count: number): number {
  let sums = 0;
  for (let word = 0; word < count; word += 2) {
    let x = (bits[at + word] ?? 0) ^ (query[from + word] ?? 0);
    let y = (bits[at + word + 1] ?? 0) ^ (query[from + word + 1] ?? 0);
    x = (x - ((x >>> 1) & 0x55555555)) | 0;
    y = (y - ((y >>> 1) & 0x55555555)) | 0;
    x = ((x & 0x33333333) + ((x >>> 2) & 0x33333333) + (y & 0x33333333) + ((y >>> 2) & 0x33333333)) | 0;
    sums = (sums + (x & 0x0f0f0f0f) + ((x >>> 4) & 0x0f0f0f0f)) | 0;
  }
  return (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24);
}
