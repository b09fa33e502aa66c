// The ways to search without our layout, as plainly as each is meant to be used: all on the thread that asks.
import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { load } from "sqlite-vec";
import { Index, MetricKind, ScalarKind } from "usearch";
import { tokenise } from "../src/domain/tokenise.ts";
import type { Batch, Corpus } from "./retrieval-corpus.ts";
import { DIMENSION } from "./retrieval-corpus.ts";

/** Hits that each way is asked for, as ours is. */
export const WANTED = 50;

export interface Others {
  add(batch: Batch): void;
  ready(): void;
  /** vec0, float32 by cosine, within the searched repository's partition. */
  vec0(vector: Float32Array): unknown;
  /** FTS5, all words joined by OR within the repository, in the order of its bm25. */
  fts5(text: string): unknown;
  /** HNSW of int8 over the searched repository alone, since it cannot filter. Row numbers, nearest first. */
  usearch(vector: Float32Array): number[];
  /** Every vector of the repository in a Float32Array: exact. Row numbers and distances. */
  scan(vector: Float32Array, k: number): Map<number, number>;
  /** Seconds of wall time that each took to fill, and bytes of the file. */
  once(): Readonly<Record<string, number>>;
  close(): void;
}

/** Chunks of 64 rows: partitions take whole chunks, and filling is 15 times as fast as with the usual 1024. */
const CHUNK = 64;

export function openOthers(folder: string, corpus: Corpus): Others {
  const path = join(folder, "plain.db");
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = OFF");
  db.pragma("mmap_size = 2147418112");
  load(db);
  db.exec(`CREATE VIRTUAL TABLE v USING vec0
    (repo INTEGER PARTITION KEY, e float[${DIMENSION}] distance_metric=cosine, chunk_size=${CHUNK})`);
  db.exec("CREATE VIRTUAL TABLE f USING fts5 (text, repo)");
  const addVector = db.prepare("INSERT INTO v (rowid, repo, e) VALUES (?, ?, ?)");
  const addText = db.prepare("INSERT INTO f (rowid, text, repo) VALUES (?, ?, ?)");
  const stored = new Float32Array(corpus.rowsEach * DIMENSION);
  const first = corpus.target * corpus.rowsEach;
  const hnsw = new Index({
    dimensions: DIMENSION,
    metric: MetricKind.Cos,
    quantization: ScalarKind.I8,
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 64,
    multi: false,
  });
  const seconds = { vec0: 0, FTS5: 0, usearch: 0 };
  const clocked = (what: keyof typeof seconds, work: () => void) => {
    const start = performance.now();
    work();
    seconds[what] += (performance.now() - start) / 1000;
  };
  const fill = {
    vec0: db.transaction((batch: Batch) => {
      batch.rows.forEach(({ vector }, at) => {
        addVector.run(BigInt(batch.first + at), BigInt(batch.repository), vector);
      });
    }),
    fts5: db.transaction((batch: Batch) => {
      batch.rows.forEach(({ record }, at) => {
        const text = tokenise([record.text, record.path, record.hunk].join("\n")).join(" ");
        addText.run(batch.first + at, text, `r${batch.repository}`);
      });
    }),
  };
  const nearest = db.prepare(`SELECT rowid, distance FROM v WHERE e MATCH ? AND repo = ? AND k = ${WANTED}`);
  const matching = db.prepare(`SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f, 1, 0) LIMIT ${WANTED}`);
  return {
    add(batch) {
      clocked("vec0", () => fill.vec0(batch));
      clocked("FTS5", () => fill.fts5(batch));
      if (batch.repository !== corpus.target) return;
      const from = batch.first - first;
      batch.rows.forEach(({ vector }, at) => {
        stored.set(vector, (from + at) * DIMENSION);
      });
      const keys = BigUint64Array.from(batch.rows, (_, at) => BigInt(batch.first + at));
      clocked("usearch", () => hnsw.add(keys, stored.subarray(from * DIMENSION, (from + keys.length) * DIMENSION), 0));
    },
    ready: () => void db.pragma("wal_checkpoint(TRUNCATE)"),
    vec0: (vector) => nearest.all(vector, BigInt(corpus.target)),
    fts5(text) {
      const words = [...new Set(tokenise(text))].map((word) => `"${word}"`).join(" OR ");
      return matching.all(`repo : r${corpus.target} AND text : (${words})`);
    },
    usearch: (vector) => Array.from(hnsw.search(vector, WANTED, 1).keys, Number),
    scan: (vector, k) => scan(stored, first, vector, k),
    once: () => ({
      "vec0: seconds to fill": seconds.vec0,
      "FTS5: seconds to fill": seconds.FTS5,
      "usearch: seconds to fill, searched repository only": seconds.usearch,
      "vec0 + FTS5: MB of the file": statSync(path).size / 1e6,
    }),
    close: () => db.close(),
  };
}

/** Exact cosine distances of the k nearest, nearest first, by number of the row. */
function scan(vectors: Float32Array, first: number, query: Float32Array, k: number): Map<number, number> {
  const rows = vectors.length / DIMENSION;
  const distances = new Float64Array(rows);
  for (let row = 0, at = 0; row < rows; row += 1) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < DIMENSION; i += 4, at += 4) {
      a += (vectors[at] ?? 0) * (query[i] ?? 0);
      b += (vectors[at + 1] ?? 0) * (query[i + 1] ?? 0);
      c += (vectors[at + 2] ?? 0) * (query[i + 2] ?? 0);
      d += (vectors[at + 3] ?? 0) * (query[i + 3] ?? 0);
    }
    distances[row] = 1 - (a + b + c + d);
  }
  const kth = distances.toSorted()[k - 1] ?? 2;
  const near: [number, number][] = [];
  distances.forEach((distance, row) => {
    if (distance <= kth && near.length < k) near.push([first + row, distance]);
  });
  return new Map(near.sort((one, other) => one[1] - other[1]));
}
