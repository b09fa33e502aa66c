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

/** Rows side by side, each by the place of its part among the parts and its own in there. */
export interface ChosenRows {
  readonly parts: Uint32Array;
  readonly rows: Uint32Array;
}

/**
 * For each query the `wanted` rows with the smallest Hamming distance to it over all parts; among equals the smaller
 * ids. Not in order.
 *
 * @param queries as many words each as the rows have
 * @param kernel null for the way without WebAssembly: the same answer, several times as slowly
 */
export function nearestBits(
  parts: readonly BitRows[],
  queries: readonly Uint32Array[],
  wanted: number,
  kernel: PopcountKernel | null = kernelFor(queries[0]?.length ?? 2, queries.length),
): ChosenRows[] {
  const nearest = queries.map((query) => nearestSoFar(query.length * 32, wanted));
  kernel?.setQueries(queries);
  for (const [number, part] of parts.entries()) {
    const rowsAtOnce = kernel?.rows ?? BLOCK;
    for (let first = 0; first < part.ids.length; first += rowsAtOnce) {
      const count = Math.min(rowsAtOnce, part.ids.length - first);
      const rows = part.bits.subarray(first * part.words, (first + count) * part.words);
      kernel?.setRows(rows, part.admitted.subarray(first, first + count));
      for (const [at, query] of queries.entries()) {
        const soFar = nearest[at];
        const limit = soFar?.limit() ?? 0;
        soFar?.add(number, first, kernel?.near(at, count, limit) ?? nearSlowly(part, first, count, query, limit));
      }
    }
  }
  return nearest.map((ofQuery) => ofQuery.chosen(parts));
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

interface NearestSoFar {
  /** Rows that are farther are not wanted. */
  limit(): number;
  /** @param near rows of a part that are admitted and not too far, counted from `first` on: row · 65536 + distance */
  add(part: number, first: number, near: Uint32Array): void;
  chosen(parts: readonly BitRows[]): ChosenRows;
}

/** Candidates taken up before it is worked out anew how far the last one wanted is. */
const PATIENCE = 64;

/**
 * Takes up only rows that are no farther than the last one wanted among those seen before: of a hundred thousand a few
 * thousand.
 */
function nearestSoFar(bits: number, wanted: number): NearestSoFar {
  const histogram = new Uint32Array(bits + 1);
  const taken: Taken[] = [];
  let limit = bits;
  let since = 0;
  return {
    limit: () => limit,
    add(part, first, near) {
      if (near.length === 0) return;
      taken.push({ part, first, near: near.slice() });
      for (let at = 0; at < near.length; at += 1) {
        const distance = (near[at] ?? 0) & 0xffff;
        histogram[distance] = (histogram[distance] ?? 0) + 1;
      }
      since += near.length;
      if (since < PATIENCE) return;
      since = 0;
      limit = Math.min(bits, cutOff(histogram, wanted).limit);
    },
    chosen: (parts) => nearestOf(taken, parts, cutOff(histogram, wanted), wanted),
  };
}

/** Rows of a part that were near enough when they were met, as the kernel tells them, counted from `first` on. */
interface Taken {
  readonly part: number;
  readonly first: number;
  readonly near: Uint32Array;
}

/** Of those that were taken all that are nearer than the limit, and of those at the limit as many as are wanted. */
function nearestOf(
  taken: readonly Taken[],
  all: readonly BitRows[],
  { limit, below }: ReturnType<typeof cutOff>,
  wanted: number,
): ChosenRows {
  const [parts, rows]: [number[], number[]] = [[], []];
  const put = (part: number, row: number) => {
    parts.push(part);
    rows.push(row);
  };
  const ties: { readonly part: number; readonly row: number; readonly id: number }[] = [];
  eachOf(taken, (part, row, distance) => {
    if (distance < limit) put(part, row);
    else if (distance === limit) ties.push({ part, row, id: all[part]?.ids[row] ?? 0 });
  });
  ties.sort((one, other) => one.id - other.id);
  for (const { part, row } of ties.slice(0, wanted - below)) put(part, row);
  return { parts: Uint32Array.from(parts), rows: Uint32Array.from(rows) };
}

function eachOf(taken: readonly Taken[], tell: (part: number, row: number, distance: number) => void): void {
  for (const { part, first, near } of taken) {
    for (let at = 0; at < near.length; at += 1) {
      const one = near[at] ?? 0;
      tell(part, first + (one >>> 16), one & 0xffff);
    }
  }
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
