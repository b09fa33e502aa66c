// Opens memory.db: a new file is laid out so that forgetting can give pages back; a file that is not ours is refused.
import { existsSync } from "node:fs";
import BetterSqlite from "better-sqlite3";
import { type Database, openDatabase } from "./database.ts";
import { MEMORY_MIGRATIONS } from "./memory-schema.ts";
import { ownerOnly } from "./owner-only.ts";

/**
 * Opens (or creates) the memory for writing and brings its schema up to date. Needs no sqlite-vec: writing vectors does
 * not, and searching opens the file for itself.
 *
 * @param path a file; memory is searched from another thread, so `:memory:` would be found empty there
 * @param mostPages the file grows no larger than so many pages of 4 KiB; null lets it fill the disk
 * @param keeps see openDatabase
 * @throws Error in words for the operator: not a database, damaged, another program's, or of a newer Kodiai
 */
export function openMemory(path: string, mostPages: number | null = null, keeps = true): Database.Database {
  try {
    prepare(path);
    const db = openDatabase(path, MEMORY_MIGRATIONS, keeps);
    if (mostPages !== null) db.pragma(`max_page_count = ${mostPages}`);
    return db;
  } catch (error) {
    throw inWords(path, error);
  }
}

/** Whether there is anything to search, stale or not. */
export function remembersAnything(db: Database.Database): boolean {
  return db.prepare("SELECT 1 FROM records LIMIT 1").get() !== undefined;
}

/**
 * What is wrong inside the file: an empty list when nothing is. Reads everything, so it takes about a second per
 * gigabyte: for a restore, and never on the way to a review.
 */
export function memoryProblems(db: Database.Database): readonly string[] {
  const problems = [...pageProblems(db)];
  try {
    db.prepare("INSERT INTO word_index (word_index, rank) VALUES ('integrity-check', 1)").run();
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  return problems;
}

/** The same, of the file's pages only: holds up no writer, so that `doctor` can ask beside a running server. */
export function pageProblems(db: Database.Database): readonly string[] {
  try {
    const found = db.pragma("quick_check(10)", { simple: false }) as { quick_check: string }[];
    return found.map((row) => row.quick_check).filter((text) => text !== "ok");
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Turns SQLite's words about an unreadable file into what the operator can do. */
export function inWords(path: string, error: unknown): unknown {
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

/** Sets what must be set before the first table, and makes sure that an existing file is ours. */
function prepare(path: string): void {
  const isNew = !existsSync(path);
  ownerOnly(path);
  const db = new BetterSqlite(path);
  try {
    if (isNew) {
      db.pragma("auto_vacuum = INCREMENTAL");
      // Before the first page is written: afterwards it would take a VACUUM of the whole file.
      db.exec("CREATE TABLE first (x); DROP TABLE first;");
      return;
    }
    const version = Number(db.pragma("user_version", { simple: true }));
    const tables = db.prepare("SELECT count(*) FROM sqlite_master").pluck().get() as number;
    const ours = db.prepare("SELECT count(*) FROM sqlite_master WHERE name IN ('clock', 'word_index')").pluck().get();
    if (tables > 0 && (version === 0 || ours !== 2)) {
      throw new Error(
        `${path} holds tables of another program, not Kodiai's memory. Use another KODIAI_DATA_DIR, or move the file away.`,
      );
    }
  } finally {
    db.close();
  }
}
