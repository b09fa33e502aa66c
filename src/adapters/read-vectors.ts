// Reads the vectors of an answer and trusts none of it: a NaN that got into the store would rank first for ever.

/** Larger than any model's; a longer answer is not a vector. */
const MAX_DIMENSION = 16_384;
const MIN_DIMENSION = 2;

export interface ReadVectors {
  /** One for each text that was asked for: unit length, or null. */
  readonly vectors: readonly (Float32Array | null)[];
  /** Why the first of the nulls is one; null when there is none. */
  readonly problem: string | null;
}

/**
 * @param rows `data` of the answer: `[{index, embedding: number[]}]`, in any order. Rows without an index count by their
 *   place, provided there are as many as texts. Indexes out of range are passed over; of one that comes twice neither counts.
 * @param count how many texts were asked for
 * @param dimension what each vector must have; null takes that of the first good one
 */
export function readVectors(rows: readonly unknown[], count: number, dimension: number | null): ReadVectors {
  const byIndex = placeRows(rows, count);
  let expected = dimension;
  let problem: string | null = null;
  const vectors = Array.from({ length: count }, (_, index) => {
    const read = readVector(byIndex.get(index), expected);
    if (typeof read === "string") {
      problem ??= read;
      return null;
    }
    expected ??= read.length;
    return read;
  });
  return { vectors, problem };
}

function placeRows(rows: readonly unknown[], count: number): ReadonlyMap<number, unknown> {
  const isPlaced = rows.some((row) => field(row, "index") !== undefined);
  if (!isPlaced) return new Map(rows.length === count ? rows.map((row, index) => [index, row]) : []);
  const byIndex = new Map<number, unknown>();
  for (const row of rows) {
    const index = field(row, "index");
    if (typeof index !== "number") continue;
    byIndex.set(index, byIndex.has(index) ? null : row);
  }
  return byIndex;
}

/** The vector at unit length, or what is wrong with it. */
function readVector(row: unknown, dimension: number | null): Float32Array | string {
  if (row === undefined) return "a vector is missing from the answer";
  const numbers = field(row, "embedding");
  if (!Array.isArray(numbers)) return "the answer holds something else in a vector's place";
  if (numbers.length < MIN_DIMENSION || numbers.length > MAX_DIMENSION) {
    return `a vector of ${numbers.length} numbers is none`;
  }
  if (dimension !== null && numbers.length !== dimension) {
    return `a vector has ${numbers.length} numbers and not ${dimension}; check the model and its dimension`;
  }
  if (!numbers.every((value) => typeof value === "number" && Number.isFinite(value))) {
    return "a vector holds something that is not a finite number";
  }
  return unitVector(numbers) ?? "a vector is all zero";
}

/** Divided by the largest number first, so that no square overflows or vanishes. */
function unitVector(numbers: readonly number[]): Float32Array | null {
  const largest = numbers.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return null;
  const length = Math.sqrt(numbers.reduce((sum, value) => sum + (value / largest) ** 2, 0));
  return Float32Array.from(numbers, (value) => value / largest / length);
}

function field(row: unknown, name: "index" | "embedding"): unknown {
  return typeof row === "object" && row !== null ? (row as Readonly<Record<string, unknown>>)[name] : undefined;
}
