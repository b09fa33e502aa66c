// vec0 (float32, cosine) and FTS5, as plainly as each is meant to be used.
import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { load } from "sqlite-vec";
import { tokenise } from "../../src/domain/tokenise.ts";
import { batchesOf, type Maker, type Stored, type Way } from "./way.ts";

/** Rows of a transaction. */
const BATCH = 5_000;

export const vec0: Maker = {
  name: "vec0 float32",
  needs: null,
  mostRows: null,
  make(stored, { folder }) {
    const path = join(folder, "vec0.db");
    const db = opened(path);
    load(db);
    db.exec(`CREATE VIRTUAL TABLE v USING vec0 (language TEXT, e float[${stored.dimension}] distance_metric=cosine)`);
    const add = db.prepare("INSERT INTO v (rowid, language, e) VALUES (?, ?, ?)");
    const { dimension, languages } = stored;
    inBatches(db, stored, (first, count) => {
      const vectors = stored.vectors(first, count);
      for (let at = 0; at < count; at += 1)
        add.run(BigInt(first + at), languages[first + at], vectors.subarray(at * dimension, (at + 1) * dimension));
    });
    db.close();
    return Promise.resolve(vec0In(path));
  },
  open: (_, { folder }) => Promise.resolve(vec0In(join(folder, "vec0.db"))),
};

function vec0In(path: string): Way {
  const db = opened(path);
  load(db);
  const all = db.prepare("SELECT rowid FROM v WHERE e MATCH ? AND k = ?").pluck();
  const some = db.prepare("SELECT rowid FROM v WHERE e MATCH ? AND k = ? AND language = ?").pluck();
  return {
    filters: true,
    nearest: (vector, k, language) =>
      (language === null ? all.all(vector, k) : some.all(vector, k, language)) as number[],
    diskBytes: statSync(path).size,
    close: () => void db.close(),
  };
}

export const fts5: Maker = {
  name: "FTS5",
  needs: null,
  mostRows: null,
  make(stored, { folder }) {
    const path = join(folder, "fts5.db");
    const db = opened(path);
    db.exec("CREATE VIRTUAL TABLE f USING fts5 (text)");
    const add = db.prepare("INSERT INTO f (rowid, text) VALUES (?, ?)");
    inBatches(db, stored, (first, count) =>
      stored.texts(first, count).forEach((text, at) => void add.run(first + at, tokenise(text).join(" "))),
    );
    db.close();
    return Promise.resolve(fts5In(path));
  },
  open: (_, { folder }) => Promise.resolve(fts5In(join(folder, "fts5.db"))),
};

function fts5In(path: string): Way {
  const db = opened(path);
  const find = db.prepare("SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT ?").pluck();
  return {
    filters: false,
    matching(text, k) {
      const words = [...new Set(tokenise(text))].map((word) => `"${word}"`).join(" OR ");
      return find.all(words, k) as number[];
    },
    diskBytes: statSync(path).size,
    close: () => void db.close(),
  };
}

function opened(path: string): Database.Database {
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = OFF");
  db.pragma("mmap_size = 2147418112");
  return db;
}

function inBatches(db: Database.Database, { rows }: Stored, add: (first: number, count: number) => void): void {
  for (const [first, count] of batchesOf(rows, BATCH)) db.transaction(() => add(first, count))();
  db.pragma("wal_checkpoint(TRUNCATE)");
}
