// Facts about memory.db for `doctor`: counts, embedders, size and integrity.
import { statSync } from "node:fs";
import { basename } from "node:path";
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { Sql } from "../sql.ts";
import { openSqlite } from "../sqlite.ts";
import { oneValue } from "../statement.ts";
import { memoryError, pageProblems } from "./memory-file.ts";
import { storedSpaces } from "./repositories.ts";

export interface MemoryFacts {
  /** For the operator; empty when there are none. With problems, the counts may be missing. */
  readonly problems: readonly string[];
  readonly repositories: number;
  readonly records: number;
  readonly stale: number;
  /** Vectors per embedding space; spaces without any are left out. */
  readonly spaces: readonly (EmbeddingSpace & { readonly vectors: number })[];
  readonly cachedQueries: number;
  readonly bytes: readonly { readonly file: string; readonly bytes: number }[];
  /** sqlite-vec's version, or why it cannot be loaded. */
  readonly sqliteVec: { readonly version: string } | { readonly problem: string };
}

/**
 * Reads everything once, about a second per gigabyte, without waiting for locks. Never rejects.
 *
 * @param path an existing memory.db with the current schema
 */
export async function memoryFacts(path: string): Promise<MemoryFacts> {
  const bytes = [path, `${path}-wal`].flatMap((file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined ? [] : [{ file: basename(file), bytes: found.size }];
  });
  const nothing = { repositories: 0, records: 0, stale: 0, spaces: [], cachedQueries: 0 };
  const sqliteVec = await sqliteVecFacts();
  let problems: readonly string[] = [];
  try {
    const db = openSqlite(path, { now: Date.now, isReader: true });
    try {
      problems = pageProblems(db.connection);
      return { problems, ...(await countsOf(db)), bytes, sqliteVec };
    } finally {
      await db.close();
    }
  } catch (caught) {
    const error = memoryError(path, caught);
    const reason = error instanceof Error ? error.message : String(error);
    return { problems: [...problems, reason], ...nothing, bytes, sqliteVec };
  }
}

async function countsOf(db: Sql): Promise<Omit<MemoryFacts, "problems" | "bytes" | "sqliteVec">> {
  const count = async (from: string) => (await oneValue<number>(db, `SELECT count(*) FROM ${from}`)) ?? 0;
  return {
    repositories: await count("repositories WHERE host <> ''"),
    records: await count("records WHERE stale = 0"),
    stale: await count("records WHERE stale = 1"),
    spaces: await storedSpaces(db),
    cachedQueries: await count("embeddings"),
  };
}

async function sqliteVecFacts(): Promise<MemoryFacts["sqliteVec"]> {
  const db = openSqlite(":memory:", { now: Date.now, vectors: "installed" });
  try {
    if (db.vectorsMissing !== null) return { problem: db.vectorsMissing };
    return { version: (await oneValue<string>(db, "SELECT vec_version()")) ?? "" };
  } finally {
    await db.close();
  }
}
