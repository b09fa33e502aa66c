// libSQL's own vectors in a plain column, scanned (float32): its index (DiskANN) takes 50 kB a row, and a minute for 10,000.
import { statSync } from "node:fs";
import { join } from "node:path";
import { batchesOf, type Maker, type Way } from "./way.ts";

const BATCH = 5_000;

/** As much of it as is used here. */
interface Db {
  exec(sql: string): void;
  prepare(sql: string): {
    run(values: readonly unknown[]): void;
    all(values: readonly unknown[]): readonly { readonly id: number }[];
  };
  close(): void;
}

export const libsql: Maker = {
  name: "libsql flat",
  needs: "libsql",
  mostRows: { rows: 250_000, why: "three times as slow as vec0 at a hundred thousand" },
  async make(stored, { folder }) {
    const path = join(folder, "libsql.db");
    const db = await opened(path);
    const { rows, dimension, languages } = stored;
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    db.exec(`CREATE TABLE v (id INTEGER PRIMARY KEY, language TEXT, e F32_BLOB(${dimension}))`);
    const add = db.prepare("INSERT INTO v VALUES (?, ?, ?)");
    for (const [first, count] of batchesOf(rows, BATCH)) {
      const vectors = stored.vectors(first, count);
      db.exec("BEGIN");
      for (let at = 0; at < count; at += 1) {
        const own = vectors.subarray(at * dimension, (at + 1) * dimension);
        add.run([first + at, languages[first + at] ?? "", bytesOf(own)]);
      }
      db.exec("COMMIT");
    }
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    return wayIn(path);
  },
  open: (_, { folder }) => wayIn(join(folder, "libsql.db")),
};

async function wayIn(path: string): Promise<Way> {
  const db = await opened(path);
  const find = (where: string) => db.prepare(`SELECT id FROM v ${where} ORDER BY vector_distance_cos(e, ?) LIMIT ?`);
  const [all, some] = [find(""), find("WHERE language = ?")];
  return {
    filters: true,
    nearest(vector, k, language) {
      // In an array: a lone buffer ends the process.
      const found = language === null ? all.all([bytesOf(vector), k]) : some.all([language, bytesOf(vector), k]);
      return found.map(({ id }) => id);
    },
    diskBytes: statSync(path).size,
    close: () => db.close(),
  };
}

async function opened(path: string): Promise<Db> {
  // By a name that the types do not follow: without the package they must hold, too.
  const name: string = "libsql";
  const { default: Database } = (await import(name)) as { readonly default: new (path: string) => Db };
  return new Database(path);
}

function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}
