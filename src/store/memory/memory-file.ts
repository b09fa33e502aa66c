// The embedded memory's file: opened for writing, laid out so that forgetting can give pages back; a file that is not ours is
// refused.
import { existsSync, statSync } from "node:fs";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import BetterSqlite from "better-sqlite3";
import { StoreUnusable, Transient } from "../../domain/errors.ts";
import { migrate } from "../migrate.ts";
import { ownerOnly } from "../owner-only.ts";
import type { Database } from "../sql.ts";
import { openSqlite, type SqliteDatabase } from "../sqlite.ts";
import { keepBeforeUpgrade } from "../upkeep/schema-copies.ts";
import { MEMORY_PART } from "./schema.ts";

/**
 * Opens (or creates) the memory for writing and brings its schema up to date. Needs no sqlite-vec: writing vectors does not, and
 * the search opens the file for itself.
 *
 * @param path a file; memory is searched from another thread, so `:memory:` would be found empty there
 * @param mostPages see SqliteSettings
 * @throws Error or StoreUnusable in words for the operator: not a database, damaged, another program's, or of a newer Kodiai
 */
export async function openMemoryFile(path: string, mostPages?: number): Promise<SqliteDatabase> {
  try {
    prepare(path);
    const db = openSqlite(path, { now: Date.now, ...(mostPages === undefined ? {} : { mostPages }) });
    await keepBeforeUpgrade(db, MEMORY_PART, path);
    await migrate(db, [MEMORY_PART], path);
    return db;
  } catch (error) {
    throw memoryError(path, error);
  }
}

/** Sets what must be set before the first table, and makes sure that an existing file is ours. */
function prepare(path: string): void {
  ownerOnly(path);
  // Also where a process was killed before it wrote the first page.
  const isNew = !existsSync(path) || statSync(path).size === 0;
  const db = new BetterSqlite(path);
  try {
    if (isNew) {
      db.pragma("auto_vacuum = INCREMENTAL");
      // Before the first page is written: afterwards it would take a VACUUM of the whole file.
      db.exec("CREATE TABLE first (x); DROP TABLE first;");
      return;
    }
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    if (tables.length > 0 && !["schema_steps", "clock", "records"].every((name) => tables.includes(name))) {
      throw new StoreUnusable(
        `${path} holds tables of another program, or of a Kodiai before its first release. Use another KODIAI_DATA_DIR, or move the file away.`,
      );
    }
  } finally {
    db.close();
  }
}

/** SQLite's words about an unreadable file as what the operator can do. */
export function memoryError(path: string, error: unknown): unknown {
  if (!(error instanceof BetterSqlite.SqliteError)) return error;
  if (error.code.startsWith("SQLITE_NOTADB") || error.code.startsWith("SQLITE_CORRUPT")) {
    return new Error(
      `${path} cannot be read as Kodiai's memory (${error.message}). Restore a backup, or move the file away to start with an empty memory.`,
      { cause: error },
    );
  }
  if (error.code.startsWith("SQLITE_CANTOPEN")) {
    return new Error(`${path} cannot be opened (${error.message}). Check that the folder exists and is ours.`, {
      cause: error,
    });
  }
  return error;
}

/** What is wrong inside a file's pages: an empty list when nothing is. Reads everything: about a second per gigabyte. */
export function pageProblems(db: BetterSqlite.Database): readonly string[] {
  try {
    const found = db.pragma("quick_check(10)", { simple: false }) as { quick_check: string }[];
    return found.map((row) => row.quick_check).filter((text) => text !== "ok");
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Free pages that are given back at a time. */
const PAGES = 500;
const CUT_TRIES = 50;
const CUT_PAUSE_MS = 100;

/**
 * Makes a removal real. Pages were overwritten when their rows went (secure_delete); what is left are free pages and the
 * write-ahead log, which keeps the bytes of what was removed until it is copied into the file and cut.
 *
 * @throws Transient on a lock, and while a reader keeps the old bytes in the log for five seconds: call again
 */
export async function reclaimFile(db: Database): Promise<void> {
  const free = async () => (await db.one<{ freelist_count: number }>("PRAGMA freelist_count"))?.freelist_count ?? 0;
  for (let before = await free(); before > 0; ) {
    await db.script(`PRAGMA incremental_vacuum(${PAGES})`);
    const after = await free();
    // A file that was not laid out for it keeps its free (and overwritten) pages.
    if (after === before) break;
    before = after;
    await setImmediate();
  }
  for (let tries = 0; tries < CUT_TRIES; tries += 1) {
    const cut = await db.one<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    if (cut?.busy === 0) return;
    await sleep(CUT_PAUSE_MS);
  }
  throw new Transient("forgotten, but a reader still keeps the old bytes in the write-ahead log");
}
