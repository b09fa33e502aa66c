// The two files of a store, and what is wrong with one of them.
import { existsSync, statSync } from "node:fs";
import BetterSqlite from "better-sqlite3";
import { StoreUnusable } from "../../domain/store-unusable.ts";
import { type Migrations, newerSchema } from "./database.ts";
import { pageProblems } from "./memory-file.ts";
import { MEMORY_MIGRATIONS } from "./memory-schema.ts";
import { QUEUE_MIGRATIONS } from "./queue-schema.ts";

/**
 * In the order in which they are copied: a memory that is younger than the queue beside it knows a review that the queue
 * believes unsent, and sending asks GitHub first; the other way round a review would be missing in memory for good.
 */
export const STORE_FILES: readonly { readonly name: string; readonly migrations: Migrations }[] = [
  { name: "queue.db", migrations: QUEUE_MIGRATIONS },
  { name: "memory.db", migrations: MEMORY_MIGRATIONS },
];

const MEND =
  "Stop Kodiai, move this file and those beside it that begin with its name away, and restore a backup (kodiai restore DIR).";

/**
 * Reads the whole file, about a second per gigabyte, and writes nothing.
 *
 * @param path a file that may be absent, which is no fault
 * @throws StoreUnusable when it is damaged, or of a newer Kodiai
 */
export function checkFile(path: string, migrations: Migrations): void {
  if (!existsSync(path)) return;
  if (statSync(path).size === 0) throw new StoreUnusable(`${path} is empty: what it held is lost. ${MEND}`);
  const damaged = (why: string, cause?: unknown) =>
    new StoreUnusable(`${path} is damaged (${why}). ${MEND}`, { cause });
  let problem: StoreUnusable | null;
  try {
    problem = problemOf(path, migrations, damaged);
  } catch (error) {
    problem = damaged(error instanceof Error ? error.message : String(error), error);
  }
  if (problem !== null) throw problem;
}

function problemOf(
  path: string,
  migrations: Migrations,
  damaged: (why: string) => StoreUnusable,
): StoreUnusable | null {
  const db = new BetterSqlite(path, { fileMustExist: true, timeout: 1_000 });
  try {
    const version = Number(db.pragma("user_version", { simple: true }));
    if (version > migrations.length && version < 10_000) return newerSchema(path, version, migrations.length);
    const tables = db.prepare("SELECT count(*) FROM sqlite_master").pluck().get() as number;
    // A file of ours is given its tables and its version in one transaction.
    if ((version === 0) !== (tables === 0) || version < 0 || version > migrations.length) {
      return damaged(`schema ${version} with ${tables} tables and indexes`);
    }
    const [first] = pageProblems(db);
    return first === undefined ? null : damaged(first);
  } finally {
    db.close();
  }
}
