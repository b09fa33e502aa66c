// What stands in memory.db, for `doctor`: how much, of which embedders, how large, and whether it is sound.
import { statSync } from "node:fs";
import { basename } from "node:path";
import BetterSqlite from "better-sqlite3";
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { Database } from "./database.ts";
import { inWords, pageProblems } from "./memory-file.ts";
import { loadSqliteVec } from "./sqlite-vec.ts";

export interface MemoryFacts {
  /** What is wrong, in words for the operator; empty when nothing is. With some, the counts may be missing. */
  readonly problems: readonly string[];
  readonly repositories: number;
  /** Records that may be searched, and those that are kept but stale. */
  readonly records: number;
  readonly stale: number;
  /** Vectors of each embedding space; a space without any is not told. */
  readonly spaces: readonly (EmbeddingSpace & { readonly vectors: number })[];
  /** Vectors of queries that are kept for a day. */
  readonly cachedQueries: number;
  /** What people without write access, and bots, did about findings: kept, and of no weight. */
  readonly weightlessActs: number;
  /** Of each file that there is. */
  readonly bytes: readonly { readonly file: string; readonly bytes: number }[];
  /** sqlite-vec's version, or why it cannot be loaded. */
  readonly sqliteVec: { readonly version: string } | { readonly problem: string };
}

/**
 * Reads everything once, so it takes about a second per gigabyte; and waits for nobody. Never throws.
 *
 * @param path an existing memory.db, brought up to date
 */
export function memoryFacts(path: string): MemoryFacts {
  const bytes = ["", "-wal"].flatMap((end) => sizeOf(path + end));
  const nothing = { repositories: 0, records: 0, stale: 0, spaces: [], cachedQueries: 0, weightlessActs: 0 };
  const sqliteVec = sqliteVecFacts();
  let problems: readonly string[] = [];
  try {
    const db = new BetterSqlite(path, { readonly: true, fileMustExist: true });
    try {
      problems = pageProblems(db);
      return { problems, ...countsOf(db), bytes, sqliteVec };
    } finally {
      db.close();
    }
  } catch (caught) {
    const error = inWords(path, caught);
    const told = error instanceof Error ? error.message : String(error);
    return { problems: [...problems, told], ...nothing, bytes, sqliteVec };
  }
}

function countsOf(db: Database.Database): Omit<MemoryFacts, "problems" | "bytes" | "sqliteVec"> {
  const count = (sql: string) => db.prepare(sql).pluck().get() as number;
  return {
    repositories: count("SELECT count(*) FROM repositories WHERE host <> ''"),
    records: count("SELECT count(*) FROM records WHERE stale = 0"),
    stale: count("SELECT count(*) FROM records WHERE stale = 1"),
    spaces: db
      .prepare(
        `SELECT s.model, s.dimension, count(*) AS vectors FROM spaces s JOIN vec_i8 v ON v.space = s.id
           GROUP BY s.id ORDER BY vectors DESC, s.id`,
      )
      .all() as MemoryFacts["spaces"],
    cachedQueries: count("SELECT count(*) FROM embeddings"),
    weightlessActs: count(
      "SELECT count(*) FROM evidence WHERE by_is_bot = 1 OR by_access NOT IN ('write', 'maintain', 'admin')",
    ),
  };
}

function sqliteVecFacts(): MemoryFacts["sqliteVec"] {
  const db = new BetterSqlite(":memory:");
  try {
    const problem = loadSqliteVec(db, null);
    return problem === null ? { version: db.prepare("SELECT vec_version()").pluck().get() as string } : { problem };
  } finally {
    db.close();
  }
}

function sizeOf(path: string): MemoryFacts["bytes"] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? [] : [{ file: basename(path), bytes: found.size }];
}
