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
  const found = parts.map((part) => measure(part, queries, kernel));
  return queries.map((query, at) => {
    const distances = found.map((ofPart) => ofPart[at] ?? new Uint16Array());
    return nearestOf(parts, distances, query.length * 32, wanted);
  });
}

/** Queries that one pass measures; more take another pass. */
const TOGETHER = 16;
const kernels = new Map<number, PopcountKernel | null>();

function kernelFor(words: number, queries: number): PopcountKernel | null {
  // Compiled once for each length of rows, of which there is about one.
  if (!kernels.has(words)) kernels.set(words, popcountKernel(words, TOGETHER));
  return queries > TOGETHER ? popcountKernel(words, queries) : (kernels.get(words) ?? null);
}

/** For each query the distances of the part's rows; of rows that are not admitted any number. */
function measure(part: BitRows, queries: readonly Uint32Array[], kernel: PopcountKernel | null): Uint16Array[] {
  const rows = part.ids.length;
  const distances = queries.map(() => new Uint16Array(rows));
  if (kernel === null) {
    for (const [at, query] of queries.entries()) measureSlowly(part, query, distances[at] ?? new Uint16Array());
    return distances;
  }
  kernel.setQueries(queries);
  for (let first = 0; first < rows; first += kernel.rows) {
    const count = Math.min(kernel.rows, rows - first);
    kernel.setRows(part.bits.subarray(first * part.words, (first + count) * part.words));
    for (const [at, ofQuery] of distances.entries()) ofQuery.set(kernel.measure(at, count), first);
  }
  return distances;
}

function nearestOf<Part extends BitRows>(
  parts: readonly Part[],
  distances: readonly Uint16Array[],
  bits: number,
  wanted: number,
): ChosenRow<Part>[] {
  const histogram = new Uint32Array(bits + 1);
  for (const [at, part] of parts.entries()) count(distances[at] ?? new Uint16Array(), part.admitted, histogram);
  const { limit, below } = cutOff(histogram, wanted);
  const chosen: ChosenRow<Part>[] = [];
  const ties: ChosenRow<Part>[] = [];
  for (const [at, part] of parts.entries()) {
    const ofPart = distances[at] ?? new Uint16Array();
    for (const row of within(ofPart, part.admitted, limit)) {
      (ofPart[row] === limit ? ties : chosen).push({ part, row });
    }
  }
  const id = ({ part, row }: ChosenRow<Part>) => part.ids[row] ?? 0;
  ties.sort((one, other) => id(one) - id(other));
  return chosen.concat(ties.slice(0, wanted - below));
}

/** Admitted rows that are no farther than `limit`. Numbers only: every row is looked at for every query. */
function within(distances: Uint16Array, admitted: Uint8Array, limit: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < distances.length; row += 1) {
    if ((distances[row] ?? 0) <= limit && admitted[row] === 1) rows.push(row);
  }
  return rows;
}

function count(distances: Uint16Array, admitted: Uint8Array, histogram: Uint32Array): void {
  for (let row = 0; row < distances.length; row += 1) {
    const distance = distances[row] ?? 0;
    histogram[distance] = (histogram[distance] ?? 0) + (admitted[row] ?? 0);
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

function measureSlowly({ bits, words, admitted }: BitRows, query: Uint32Array, distances: Uint16Array): void {
  for (let row = 0; row < distances.length; row += 1) {
    if (admitted[row] === 0) continue;
    let distance = 0;
    for (let from = 0; from < words; from += GROUP) {
      distance += differing(bits, row * words + from, query, from, Math.min(GROUP, words - from));
    }
    distances[row] = distance;
  }
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
