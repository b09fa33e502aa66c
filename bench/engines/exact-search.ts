// usearch without a graph: every vector is compared, as int8 codes in one matrix.
import { exactSearch, MetricKind } from "usearch";
import { batchesOf, int8Codes, type Maker, type Stored } from "./engine.ts";

const BATCH = 10_000;

export const usearchExact: Maker = {
  name: "usearch exactSearch int8",
  mostRows: null,
  make(stored) {
    const { dimension, languages } = stored;
    const all = codesOf(stored);
    return Promise.resolve({
      filters: true,
      nearest(vector, k, language) {
        if (language === null) return nearest(all, [vector], k)[0] ?? [];
        const rows = languages.flatMap((one, row) => (one === language ? [row] : []));
        const found = nearest(compacted(all, rows, dimension), [vector], k)[0] ?? [];
        return found.map((at) => rows[at] ?? 0);
      },
      nearestAll: (vectors, k) => nearest(all, vectors, k),
      diskBytes: null,
      close: () => {},
    });
  },
};

/**
 * Numbers of the nearest rows for each vector, nearest first. Equal distances come in no order.
 *
 * usearch reads both arrays from the start of their buffers, wherever a view begins, and ends the
 * process for some metrics and counts: whole buffers, one metric, a checked count.
 *
 * @param codes rows of the vectors' dimension, in a buffer of their own
 */
function nearest(codes: Int8Array, vectors: readonly Float32Array[], k: number): number[][] {
  const dimension = vectors[0]?.length ?? 0;
  const count = Math.min(k, codes.length / dimension);
  if (!(count >= 1)) return vectors.map(() => []);
  const asked = new Int8Array(vectors.length * dimension);
  for (const [at, vector] of vectors.entries()) asked.set(int8Codes(vector, dimension), at * dimension);
  const keys = Array.from(exactSearch(codes, asked, dimension, count, MetricKind.Cos, 1).keys, Number);
  return vectors.map((_, at) => keys.slice(at * count, (at + 1) * count));
}

function codesOf(stored: Stored): Int8Array {
  const { rows, dimension } = stored;
  const codes = new Int8Array(rows * dimension);
  for (const [first, count] of batchesOf(rows, BATCH))
    codes.set(int8Codes(stored.vectors(first, count), dimension), first * dimension);
  return codes;
}

function compacted(codes: Int8Array, rows: readonly number[], dimension: number): Int8Array {
  const some = new Int8Array(rows.length * dimension);
  for (const [at, row] of rows.entries())
    some.set(codes.subarray(row * dimension, (row + 1) * dimension), at * dimension);
  return some;
}
