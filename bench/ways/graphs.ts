// HNSW: usearch (int8, native) and hnswlib (float32, compiled to WebAssembly, since the native one needs a compiler).
import { Index, MetricKind, ScalarKind } from "usearch";
import type { Maker } from "./way.ts";

/** Of both: connectivity, and how many are looked at when adding and when searching. */
const [M, ADDING, SEARCHING] = [16, 128, 64];

export const usearch: Maker = {
  name: "usearch int8 HNSW",
  needs: null,
  mostRows: { rows: 100_000, why: "two hours to build at a million" },
  make({ rows, vectors, dimension }) {
    const index = new Index({
      dimensions: dimension,
      metric: MetricKind.Cos,
      quantization: ScalarKind.I8,
      connectivity: M,
      expansion_add: ADDING,
      expansion_search: SEARCHING,
      multi: false,
    });
    const batch = 10_000;
    for (let first = 0; first < rows; first += batch) {
      const count = Math.min(batch, rows - first);
      const keys = BigUint64Array.from({ length: count }, (_, at) => BigInt(first + at));
      index.add(keys, vectors.subarray(first * dimension, (first + count) * dimension), 1);
    }
    return Promise.resolve({
      filters: false,
      nearest: (vector, k) => Array.from(index.search(vector, k, 1).keys, Number),
      diskBytes: null,
      close: () => {},
    });
  },
};

interface Hnsw {
  initIndex(most: number, m: number, ef: number, seed: number): void;
  addPoint(vector: Float32Array, label: number, replace: boolean): void;
  setEfSearch(ef: number): void;
  searchKnn(
    vector: Float32Array,
    k: number,
    filter: ((label: number) => boolean) | undefined,
  ): { readonly neighbors: readonly number[] };
}

export const hnswlib: Maker = {
  name: "hnswlib HNSW (wasm)",
  needs: "hnswlib-wasm",
  mostRows: { rows: 100_000, why: "its memory has 2 GB, and it builds for an hour" },
  async make({ rows, vectors, dimension, languages }) {
    const lib = await loaded();
    const index = new lib.HierarchicalNSW("cosine", dimension, "");
    index.initIndex(rows, M, ADDING, 100);
    for (let row = 0; row < rows; row += 1)
      index.addPoint(vectors.subarray(row * dimension, (row + 1) * dimension), row, false);
    index.setEfSearch(SEARCHING);
    return {
      filters: true,
      nearest(vector, k, language) {
        const admits = language === null ? undefined : (row: number) => languages[row] === language;
        return index.searchKnn(vector, k, admits).neighbors;
      },
      diskBytes: null,
      close: () => {},
    };
  },
};

interface Lib {
  readonly HierarchicalNSW: new (space: string, size: number, file: string) => Hnsw;
}

/** It was built for browsers and believes in one while it loads; of files, which it says it cannot keep, nothing is asked. */
async function loaded(): Promise<Lib> {
  const page = globalThis as unknown as Record<string, unknown>;
  const told = { log: console.log, error: console.error };
  Object.assign(page, { window: page, document: { currentScript: { src: "" } }, location: { href: "file:///" } });
  Object.assign(console, { log: () => {}, error: () => {} });
  try {
    // By a name that the types do not follow: without the package they must hold, too.
    const name: string = "hnswlib-wasm/dist/hnswlib.js";
    const { loadHnswlib } = (await import(name)) as { readonly loadHnswlib: () => Promise<Lib> };
    return await loadHnswlib();
  } finally {
    Object.assign(console, told);
    for (const name of ["window", "document", "location"]) delete page[name];
  }
}
