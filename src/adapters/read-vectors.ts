// Reads the vectors of an answer whose types were checked (service-answer.ts), so every number is finite.

/** Larger than any model's; a longer answer is not a vector. */
const MAX_DIMENSION = 16_384;
const MIN_DIMENSION = 2;

export interface EmbeddingRow {
  readonly index?: number | null | undefined;
  readonly embedding?: readonly number[] | null | undefined;
}

interface ReadVectors {
  /** One for each requested text: unit length, or null. */
  readonly vectors: readonly (Float32Array | null)[];
  /** The reason for the first null; null when there is none. */
  readonly problem: string | null;
}

/**
 * @param rows `data` of the answer, in any order. Rows without an index count by their position, if there are as many as texts.
 *   Indexes out of range are ignored; if one occurs twice, neither counts.
 * @param count the number of requested texts
 * @param dimension the required length of each vector; null takes that of the first good one
 */
export function readVectors(rows: readonly EmbeddingRow[], count: number, dimension: number | null): ReadVectors {
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

/** Null if two rows have the same index. */
function placeRows(rows: readonly EmbeddingRow[], count: number): ReadonlyMap<number, EmbeddingRow | null> {
  if (rows.every(({ index }) => typeof index !== "number")) {
    return new Map(rows.length === count ? rows.map((row, index) => [index, row]) : []);
  }
  const byIndex = new Map<number, EmbeddingRow | null>();
  for (const row of rows) {
    if (typeof row.index === "number") byIndex.set(row.index, byIndex.has(row.index) ? null : row);
  }
  return byIndex;
}

/** The vector at unit length, or what is wrong with it. */
function readVector(row: EmbeddingRow | null | undefined, dimension: number | null): Float32Array | string {
  if (row === null) return "the answer has two vectors for one text";
  const numbers = row?.embedding ?? null;
  if (numbers === null) return "a vector is missing from the answer";
  if (numbers.length < MIN_DIMENSION || numbers.length > MAX_DIMENSION) {
    return `a vector of ${numbers.length} numbers is not valid`;
  }
  if (dimension !== null && numbers.length !== dimension) {
    return `a vector has ${numbers.length} numbers and not ${dimension}; check the model and its dimension`;
  }
  return unitVector(numbers) ?? "a vector is all zero";
}

/** Divides by the largest number first, so that no square overflows or underflows. */
function unitVector(numbers: readonly number[]): Float32Array | null {
  const largest = numbers.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return null;
  const length = Math.sqrt(numbers.reduce((sum, value) => sum + (value / largest) ** 2, 0));
  return Float32Array.from(numbers, (value) => value / largest / length);
}
