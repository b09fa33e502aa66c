// vec0 (float32, cosine) and FTS5, as plainly as each is meant to be used.
import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { load } from "sqlite-vec";
import { tokenise } from "../../src/domain/tokenise.ts";
import type { Maker, Stored } from "./way.ts";

/** Rows of a transaction. */
const BATCH = 5_000;

export const vec0: Maker = {
  name: "vec0 float32",
  needs: null,
  mostRows: null,
  make(stored, folder) {
    const path = join(folder, "vec0.db");
    const db = opened(path);
    load(db);
    db.exec(`CREATE VIRTUAL TABLE v USING vec0 (language TEXT, e float[${stored.dimension}] distance_metric=cosine)`);
    const add = db.prepare("INSERT INTO v (rowid, language, e) VALUES (?, ?, ?)");
    inBatches(db, stored, (row) => add.run(BigInt(row), stored.languages[row], vectorOf(stored, row)));
    const all = db.prepare("SELECT rowid FROM v WHERE e MATCH ? AND k = ?").pluck();
    const some = db.prepare("SELECT rowid FROM v WHERE e MATCH ? AND k = ? AND language = ?").pluck();
    return Promise.resolve({
      filters: true,
      nearest: (vector, k, language) =>
        (language === null ? all.all(vector, k) : some.all(vector, k, language)) as number[],
      diskBytes: statSync(path).size,
      close: () => void db.close(),
    });
  },
};

export const fts5: Maker = {
  name: "FTS5",
  needs: null,
  mostRows: null,
  make(stored, folder) {
    const path = join(folder, "fts5.db");
    const db = opened(path);
    db.exec("CREATE VIRTUAL TABLE f USING fts5 (text)");
    const add = db.prepare("INSERT INTO f (rowid, text) VALUES (?, ?)");
    inBatches(db, stored, (row) => add.run(row, tokenise(stored.texts[row] ?? "").join(" ")));
    const find = db.prepare("SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT ?").pluck();
    return Promise.resolve({
      filters: false,
      matching(text, k) {
        const words = [...new Set(tokenise(text))].map((word) => `"${word}"`).join(" OR ");
        return find.all(words, k) as number[];
      },
      diskBytes: statSync(path).size,
      close: () => void db.close(),
    });
  },
};

function opened(path: string): Database.Database {
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = OFF");
  db.pragma("mmap_size = 2147418112");
  return db;
}

function inBatches(db: Database.Database, { rows }: Stored, add: (row: number) => unknown): void {
  for (let first = 0; first < rows; first += BATCH) {
    db.transaction(() => {
      for (let row = first; row < Math.min(rows, first + BATCH); row += 1) add(row);
    })();
  }
  db.pragma("wal_checkpoint(TRUNCATE)");
}

function vectorOf({ vectors, dimension }: Stored, row: number): Float32Array {
  return vectors.subarray(row * dimension, (row + 1) * dimension);
}
