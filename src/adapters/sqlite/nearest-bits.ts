// Nearest by sign bits: one pass over bits in memory for any number of queries, any number of candidates at the same price.
// Exact where the bits of a row stand together; where the first stand apart, a pass over these and few of the others.
import type { BitPlanes } from "../memory/bit-planes.ts";
import { type BitSketches, FARTHEST, MOST_SKETCHED, ROWS_TOLD } from "../memory/bit-sketches.ts";
import { differingBits } from "../memory/differing-bits.ts";
import { type PopcountRows, popcountRows, rowsAtOnce } from "../memory/popcount-rows.ts";
import { type BitRows, type ChosenRows, type NearestSoFar, nearestSoFar, type Wanted } from "./nearest-so-far.ts";

/**
 * For each query the rows with the smallest Hamming distance to it over all parts; among equals the smaller ids. Not in order.
 * Rows that have a sketch are passed over when they are too far by it (sketchLimit): of the rows wanted some are lost so, of
 * the sure ones one in 740. The order of the parts, and of rows in them, does not matter.
 *
 * @param queries as many words each as the rows have
 * @param kernel null for the way without WebAssembly: the same answer, several times as slowly
 */
export function nearestBits(
  parts: readonly BitRows[],
  queries: readonly Uint32Array[],
  wanted: Wanted,
  kernel: PopcountRows | null = kernelFor(queries[0]?.length ?? 2),
): ChosenRows[] {
  const chosen: ChosenRows[] = [];
  for (let first = 0; first < queries.length; first += TOGETHER) {
    const some = queries.slice(first, first + TOGETHER);
    const nearest = some.map((query) => nearestSoFar(query.length * 32, wanted));
    kernel?.setQueries(some);
    for (const [number, part] of parts.entries())
      if (part.planes.sketches === null) addWhole(number, part, some, nearest, kernel);
    addBySketches(parts, some, nearest, wanted);
    chosen.push(...nearest.map((ofQuery) => ofQuery.chosen(parts)));
  }
  return chosen;
}

/** Rows whose words stand together: each is measured, where it lies or copied to where it can be. */
function addWhole(
  number: number,
  part: BitRows,
  queries: readonly Uint32Array[],
  nearest: readonly NearestSoFar[],
  kernel: PopcountRows | null,
): void {
  const { bits, words } = part.planes;
  const resident = kernel === null ? null : part.planes.resident;
  resident?.setQueries(queries);
  resident?.admit(part.admitted);
  const atOnce = kernel?.atOnce ?? BLOCK;
  for (let first = 0; first < part.ids.length; first += atOnce) {
    const count = Math.min(atOnce, part.ids.length - first);
    if (resident === null) {
      kernel?.bits.set(bits.subarray(first * words, (first + count) * words));
      kernel?.admit(part.admitted.subarray(first, first + count));
    }
    for (const [at, query] of queries.entries()) {
      const soFar = nearest[at];
      const limit = soFar?.limit() ?? 0;
      const near = resident === null ? kernel?.near(at, 0, count, limit) : resident.near(at, first, count, limit);
      soFar?.add(number, first, near ?? nearSlowly(part, first, count, query, limit));
    }
  }
}

/**
 * Rows with sketches: those that are nearest by their sketches tell how far the sure ones are at most; then the others that may
 * still be as near.
 */
function addBySketches(
  parts: readonly BitRows[],
  queries: readonly Uint32Array[],
  nearest: readonly NearestSoFar[],
  { rows }: Wanted,
): void {
  const sketched = [...parts.entries()].flatMap(([number, { planes, ids }]) =>
    planes.sketches === null ? [] : [{ number, planes, sketches: planes.sketches, rows: ids.length }],
  );
  for (const { number, sketches } of sketched) sketches.measure(queries, parts[number]?.admitted ?? new Uint8Array());
  const near = nearest.map((_, query) => within(sketched, query, rows * PROBED));
  addFrom(sketched, nearest, (query) => [0, near[query] ?? 0]);
  const sure = nearest.map((soFar) => soFar.sure());
  addFrom(sketched, nearest, (query, { planes }) => {
    const bits = planes.words * 32;
    return [(near[query] ?? 0) + 1, sketchLimit(sure[query] ?? bits, bits, planes.sketchWords * 32)];
  });
}

interface SketchedPart {
  readonly number: number;
  readonly planes: BitPlanes;
  readonly sketches: BitSketches;
  readonly rows: number;
}

/** For each row wanted, rows that are measured whole to see how far rows are. */
const PROBED = 2;
/** And so many times as many at most, where there are not many at one distance. */
const AT_MOST = 3;

/** Block by block, which stays in a cache while every query passes over it. */
function addFrom(
  parts: readonly SketchedPart[],
  nearest: readonly NearestSoFar[],
  between: (query: number, part: SketchedPart) => readonly [number, number],
): void {
  for (const part of parts) {
    const of = nearest.map((_, query) => between(query, part));
    for (let first = 0; first < part.rows; first += ROWS_TOLD) {
      for (const [query, soFar] of nearest.entries()) {
        const [low, high] = of[query] ?? [0, 0];
        if (low <= high) soFar.add(part.number, first, part.sketches.near(query, first, [low, high], soFar.limit()));
      }
    }
  }
}

/** A distance by first words within which `wanted` rows lie and not many times as many. */
function within(parts: readonly SketchedPart[], query: number, wanted: number): number {
  let [low, high] = [0, FARTHEST];
  while (low < high) {
    const middle = (low + high) >> 1;
    const count = counted(parts, query, middle, wanted * AT_MOST);
    if (count >= wanted && count <= wanted * AT_MOST) return middle;
    if (count < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows within a distance: exactly, up to `enough`. */
function counted(parts: readonly SketchedPart[], query: number, distance: number, enough: number): number {
  let count = 0;
  for (const { sketches, rows } of parts) {
    for (let first = 0; first < rows && count <= enough; first += ROWS_TOLD) {
      count += sketches.count(query, first, distance);
    }
  }
  return count;
}

/**
 * How many of a row's first bits may differ so that, of rows that differ in `distance` of all bits, one in 740 has more.
 *
 * Vectors are rotated before their signs are taken, so that a row's first bits are as good as any: those among them that
 * differ are drawn from all that do, without putting back. Their mean is n·p and their deviation
 * √(n·p·(1 − p)·(N − n) / (N − 1)), with n of N bits and p = distance / N; 3 deviations above the mean lie .00135 of a bell
 * curve. At 256 of 1024 bits and a distance of 350 these are 87.5 and 6.6: the limit is 107. Measured on synthetic vectors with
 * the distance of the 50th nearest by all bits, of the true 20 nearest of 40 texts none were lost among a million rows, and one
 * of 800 among 100,000.
 */
export function sketchLimit(distance: number, bits: number, first: number): number {
  const share = Math.min(1, distance / bits);
  const variance = (first * share * (1 - share) * (bits - first)) / (bits - 1);
  return Math.floor(first * share + MARGIN * Math.sqrt(variance));
}

/** Standard deviations. */
const MARGIN = 3;

/** Queries that are measured in one pass. */
const TOGETHER = MOST_SKETCHED;
/** Rows at a time without the kernel. */
const BLOCK = 1024;
const kernels = new Map<number, PopcountRows | null>();

/** Compiled once for each length of rows, of which there is about one. */
function kernelFor(words: number): PopcountRows | null {
  const known = kernels.get(words);
  if (known !== undefined) return known;
  const made = popcountRows(rowsAtOnce(words), words, TOGETHER);
  kernels.set(words, made);
  return made;
}

/** What the kernel does. */
function nearSlowly(part: BitRows, first: number, count: number, query: Uint32Array, limit: number): Uint32Array {
  const { bits, words } = part.planes;
  const near: number[] = [];
  for (let row = 0; row < count; row += 1) {
    if (part.admitted[first + row] !== 1) continue;
    const distance = differingBits(bits, (first + row) * words, query, 0, words);
    if (distance <= limit) near.push(row * 65_536 + distance);
  }
  return Uint32Array.from(near);
}
