// Opens memory.db with a layout that lets deletions free pages; refuses other programs' files.
import { existsSync, statSync } from "node:fs";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import BetterSqlite from "better-sqlite3";
import { StoreUnusable, Transient } from "../../domain/errors.ts";
import { migrate } from "../migrate.ts";
import { ownerOnly } from "../owner-only.ts";
import type { Database } from "../sql.ts";
import { openSqlite, type SqliteDatabase, type SqliteSettings } from "../sqlite.ts";
import { keepBeforeUpgrade } from "../upkeep/snapshot.ts";
import { MEMORY_PART } from "./schema.ts";

/**
 * Opens (or creates) the memory and updates its schema. Only vector search needs sqlite-vec: see
 * `vectorsMissing`.
 *
 * @param limits see SqliteSettings
 * @throws Error or StoreUnusable for the operator: no database, damaged, another program's, or
 *   newer
 */
export async function openMemoryFile(
  path: string,
  limits: Pick<SqliteSettings, "mostPages" | "vectors"> = {},
): Promise<SqliteDatabase> {
  try {
    prepare(path);
    const db = openSqlite(path, { now: Date.now, vectors: "installed", ...limits });
    await keepBeforeUpgrade(db, MEMORY_PART, path);
    await migrate(db, [MEMORY_PART], path);
    return db;
  } catch (error) {
    throw memoryError(path, error);
  }
}

/** Applies the settings that must precede the first table, and refuses a file of others. */
function prepare(path: string): void {
  ownerOnly(path);
  // Also if a process was killed before it wrote the first page.
  const isNew = !existsSync(path) || statSync(path).size === 0;
  const db = new BetterSqlite(path);
  try {
    if (isNew) {
      db.pragma("auto_vacuum = INCREMENTAL");
      // Must be set before the first page is written; a later change would need a VACUUM.
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

/** Translates SQLite's errors about an unreadable file into a message with a remedy. */
export function memoryError(path: string, error: unknown): unknown {
  if (!(error instanceof BetterSqlite.SqliteError)) return error;
  const { code, message } = error;
  const why = /^SQLITE_(?:NOTADB|CORRUPT)/.test(code)
    ? `cannot be read as Kodiai's memory (${message}). Restore a backup, or move the file away to start with an empty memory.`
    : `cannot be opened (${message}). Check that the folder exists and is ours.`;
  return /^SQLITE_(?:NOTADB|CORRUPT|CANTOPEN)/.test(code) ? new Error(`${path} ${why}`, { cause: error }) : error;
}

/** Checks a file's pages, about a second per gigabyte; an empty list when they are intact. */
export function pageProblems(db: BetterSqlite.Database): readonly string[] {
  try {
    const found = db.pragma("quick_check(10)", { simple: false }) as { quick_check: string }[];
    return found.map((row) => row.quick_check).filter((text) => text !== "ok");
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

const PAGES = 500;
const CUT_TRIES = 50;
const CUT_PAUSE_MS = 100;

/**
 * Makes deletions final: secure_delete has overwritten the rows; this releases free pages, and
 * truncates the write-ahead log, which still holds the bytes.
 *
 * @throws Transient on a lock, and while a reader keeps the old bytes for five seconds: call again
 */
export async function reclaimFile(db: Database): Promise<void> {
  const free = async () => (await db.one<{ freelist_count: number }>("PRAGMA freelist_count"))?.freelist_count ?? 0;
  for (let before = await free(); before > 0; ) {
    await db.script(`PRAGMA incremental_vacuum(${PAGES})`);
    const after = await free();
    // A file without that layout keeps its free, overwritten pages.
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
