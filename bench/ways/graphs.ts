// HNSW: usearch (int8) and hnswlib (float32), both native; hnswlib needs a compiler to install, and where it is missing the
// same graph compiled to WebAssembly stands in.
import { statSync } from "node:fs";
import { join } from "node:path";
import { Index, MetricKind, ScalarKind } from "usearch";
import { batchesOf, type Maker, type Stored, type Way } from "./way.ts";

/** Of all: connectivity, and how many are looked at when adding and when searching. */
const [M, ADDING, SEARCHING] = [16, 128, 64];
const BATCH = 10_000;

function usearchIndex(dimension: number): Index {
  return new Index({
    dimensions: dimension,
    metric: MetricKind.Cos,
    quantization: ScalarKind.I8,
    connectivity: M,
    expansion_add: ADDING,
    expansion_search: SEARCHING,
    multi: false,
  });
}

function usearchWay(index: Index, path: string): Way {
  return {
    filters: false,
    nearest: (vector, k) => Array.from(index.search(vector, k, 1).keys, Number),
    diskBytes: statSync(path).size,
    close: () => {},
  };
}

export const usearch: Maker = {
  name: "usearch int8 HNSW",
  needs: null,
  mostRows: { rows: 100_000, why: "two hours to build at a million" },
  make(stored, { folder }) {
    const index = usearchIndex(stored.dimension);
    for (const [first, count] of batchesOf(stored.rows, BATCH)) {
      const keys = BigUint64Array.from({ length: count }, (_, at) => BigInt(first + at));
      index.add(keys, stored.vectors(first, count), 1);
    }
    const path = join(folder, "usearch.bin");
    index.save(path);
    return Promise.resolve(usearchWay(index, path));
  },
  open(stored, { folder }) {
    const index = usearchIndex(stored.dimension);
    const path = join(folder, "usearch.bin");
    index.load(path);
    return Promise.resolve(usearchWay(index, path));
  },
};

type Filter = ((label: number) => boolean) | undefined;

interface Hnsw {
  initIndex(most: number, m: number, ef: number, seed: number): void;
  searchKnn(vector: unknown, k: number, filter: Filter): { readonly neighbors: readonly number[] };
}

/** The native one: it takes plain arrays. */
interface NativeHnsw extends Hnsw {
  addPoint(vector: readonly number[], label: number): void;
  setEf(ef: number): void;
  writeIndexSync(path: string): void;
  readIndexSync(path: string): void;
}

export const hnswlib: Maker = {
  name: "hnswlib HNSW",
  needs: "hnswlib-node",
  mostRows: { rows: 100_000, why: "half an hour of processor time to build at a million, and 5 GB" },
  async make(stored, { folder }) {
    const { rows, dimension } = stored;
    const index = await nativeIndex(dimension);
    index.initIndex(rows, M, ADDING, 100);
    for (const [first, count] of batchesOf(rows, BATCH)) {
      const vectors = stored.vectors(first, count);
      for (let at = 0; at < count; at += 1)
        index.addPoint(Array.from(vectors.subarray(at * dimension, (at + 1) * dimension)), first + at);
    }
    const path = join(folder, "hnswlib.bin");
    index.writeIndexSync(path);
    return nativeWay(index, stored, path);
  },
  async open(stored, { folder }) {
    const path = join(folder, "hnswlib.bin");
    const index = await nativeIndex(stored.dimension);
    index.readIndexSync(path);
    return nativeWay(index, stored, path);
  },
};

async function nativeIndex(dimension: number): Promise<NativeHnsw> {
  const name: string = "hnswlib-node";
  const { default: lib } = (await import(name)) as {
    readonly default: { readonly HierarchicalNSW: new (space: string, size: number) => NativeHnsw };
  };
  return new lib.HierarchicalNSW("cosine", dimension);
}

function nativeWay(index: NativeHnsw, { languages }: Stored, path: string): Way {
  index.setEf(SEARCHING);
  return {
    filters: true,
    nearest: (vector, k, language) => index.searchKnn(Array.from(vector), k, admits(languages, language)).neighbors,
    diskBytes: statSync(path).size,
    close: () => {},
  };
}

function admits(languages: readonly string[], language: string | null): Filter {
  return language === null ? undefined : (row) => languages[row] === language;
}

interface WasmHnsw extends Hnsw {
  addPoint(vector: Float32Array, label: number, replace: boolean): void;
  setEfSearch(ef: number): void;
}

/** Where the native one could not be built. */
export const hnswlibWasm: Maker = {
  name: "hnswlib HNSW (wasm)",
  needs: "hnswlib-wasm",
  mostRows: { rows: 20_000, why: "it builds for a quarter of an hour at a hundred thousand" },
  async make(stored) {
    const { rows, dimension, languages } = stored;
    const lib = await loadedWasm();
    const index = new lib.HierarchicalNSW("cosine", dimension, "");
    index.initIndex(rows, M, ADDING, 100);
    for (const [first, count] of batchesOf(rows, BATCH)) {
      const vectors = stored.vectors(first, count);
      for (let at = 0; at < count; at += 1)
        index.addPoint(vectors.subarray(at * dimension, (at + 1) * dimension), first + at, false);
    }
    index.setEfSearch(SEARCHING);
    return {
      filters: true,
      nearest: (vector, k, language) => index.searchKnn(vector, k, admits(languages, language)).neighbors,
      diskBytes: null,
      close: () => {},
    };
  },
};

interface Lib {
  readonly HierarchicalNSW: new (space: string, size: number, file: string) => WasmHnsw;
}

/** It was built for browsers and believes in one while it loads; of files, which it says it cannot keep, nothing is asked. */
async function loadedWasm(): Promise<Lib> {
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
