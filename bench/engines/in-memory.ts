// Every vector in a Float32Array, compared exactly: what recall is measured against.
import { dot } from "../exact-truth.ts";
import type { Maker, Stored } from "./engine.ts";

export const float32Array: Maker = {
  name: "Float32Array scan",
  // 4 GB of vectors at a million.
  mostRows: 250_000,
  make(stored) {
    const vectors = stored.vectors(0, stored.rows);
    return Promise.resolve({
      filters: true,
      nearest: (vector, k, language) => exactNearest(stored, vectors, vector, k, language),
      diskBytes: null,
      close: () => {},
    });
  },
};

/** Numbers of the k nearest rows by exact cosine of unit vectors, nearest first. */
function exactNearest(
  { rows, dimension, languages }: Stored,
  vectors: Float32Array,
  query: Float32Array,
  k: number,
  language: string | null,
): number[] {
  const distances = new Float64Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const isAsked = language === null || languages[row] === language;
    distances[row] = isAsked ? 1 - dot(vectors, row * dimension, query) : 9;
  }
  const kth = distances.toSorted()[k - 1] ?? 9;
  const near: number[] = [];
  distances.forEach((distance, row) => {
    if (distance <= kth) near.push(row);
  });
  return near.sort((one, other) => (distances[one] ?? 0) - (distances[other] ?? 0)).slice(0, k);
}
