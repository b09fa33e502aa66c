// vec0 (cosine, of float32 and of int8) and FTS5, as plainly as each is meant to be used.
import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { load } from "sqlite-vec";
import { tokenise } from "../../src/domain/text/tokenise.ts";
import { batchesOf, type Engine, int8Codes, type Maker, type Stored } from "./engine.ts";

/** Rows of a transaction. */
const BATCH = 5_000;

export const vec0: Maker = {
  name: "vec0 float32",
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

export const vec0Int8: Maker = {
  name: "vec0 int8",
  mostRows: null,
  make(stored, { folder }) {
    const path = join(folder, "vec0-int8.db");
    const db = opened(path);
    load(db);
    const { dimension } = stored;
    db.exec(`CREATE VIRTUAL TABLE v USING vec0 (e int8[${dimension}] distance_metric=cosine)`);
    const add = db.prepare("INSERT INTO v (rowid, e) VALUES (?, vec_int8(?))");
    inBatches(db, stored, (first, count) => {
      const codes = int8Codes(stored.vectors(first, count), dimension);
      for (let at = 0; at < count; at += 1)
        add.run(BigInt(first + at), codes.subarray(at * dimension, (at + 1) * dimension));
    });
    db.close();
    return Promise.resolve(vec0Int8In(path));
  },
  open: (_, { folder }) => Promise.resolve(vec0Int8In(join(folder, "vec0-int8.db"))),
};

function vec0Int8In(path: string): Engine {
  const db = opened(path);
  load(db);
  const all = db.prepare("SELECT rowid FROM v WHERE e MATCH vec_int8(?) AND k = ?").pluck();
  return {
    filters: false,
    nearest: (vector, k) => all.all(int8Codes(vector, vector.length), k) as number[],
    diskBytes: statSync(path).size,
    close: () => void db.close(),
  };
}

function vec0In(path: string): Engine {
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

function fts5In(path: string): Engine {
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

/** Of a query's words; all of a long text take too long. */
const RAREST = 60;

/** A table of its own, so that neither row measures the other. */
export const fts5Rarest: Maker = {
  name: `FTS5, ${RAREST} rarest words`,
  mostRows: null,
  async make(stored, place) {
    const engine = await fts5.make(stored, place);
    await engine.close();
    return fts5RarestIn(join(place.folder, "fts5.db"));
  },
  open: (_, { folder }) => Promise.resolve(fts5RarestIn(join(folder, "fts5.db"))),
};

function fts5RarestIn(path: string): Engine {
  const db = opened(path);
  db.exec("CREATE VIRTUAL TABLE temp.counts USING fts5vocab ('main', 'f', 'row')");
  const count = db.prepare("SELECT doc FROM temp.counts WHERE term = ?").pluck();
  const find = db.prepare("SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT ?").pluck();
  return {
    filters: false,
    matching(text, k) {
      const known = [...new Set(tokenise(text))].flatMap((word) => {
        const rows = count.get(word) as number | undefined;
        return rows === undefined ? [] : [{ word, rows }];
      });
      const rarest = known.sort((one, other) => one.rows - other.rows).slice(0, RAREST);
      return rarest.length === 0 ? [] : (find.all(rarest.map(({ word }) => `"${word}"`).join(" OR "), k) as number[]);
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
