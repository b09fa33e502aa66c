// Opens a SQLite file the way Kodiai needs it and brings its schema up to date, with a copy of what was there before.
import { existsSync, rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { StoreUnusable } from "../../domain/store-unusable.ts";
import { Transient } from "../../domain/transient.ts";
import { ownerOnly } from "./owner-only.ts";
import { snapshot } from "./snapshot.ts";

export type { Database };

/** One step of a schema: SQL that is run once, in order, inside a transaction. Append only. */
export type Migrations = readonly string[];

/**
 * Opens (or creates) a database and migrates it.
 *
 * @param path a file, or `:memory:`
 * @param keeps false: no copy is kept of what an older Kodiai wrote, because this file is one
 * @throws StoreUnusable when the file was written by a newer Kodiai; Error when it is not a database
 */
export function openDatabase(path: string, migrations: Migrations, keeps = true): Database.Database {
  const isNew = path !== ":memory:" && !existsSync(path);
  if (path !== ":memory:") ownerOnly(path);
  const db = new Database(path);
  try {
    prepare(db, path, migrations, keeps);
    return db;
  } catch (error) {
    db.close();
    // On a full disk SQLite leaves a new file empty, which the next start would take for one that lost what it held.
    if (isNew && statSync(path).size === 0) rmSync(path);
    throw error;
  }
}

function prepare(db: Database.Database, path: string, migrations: Migrations, keeps: boolean): void {
  db.pragma("journal_mode = WAL");
  // better-sqlite3 reopens a WAL file with NORMAL, which does not sync a commit to disk: an accepted delivery could be lost.
  db.pragma("synchronous = FULL");
  db.pragma("foreign_keys = ON");
  // Deleted text is overwritten, so that forgetting is real.
  db.pragma("secure_delete = ON");
  // A waiting writer blocks the event loop; wait briefly and let the caller try again.
  db.pragma("busy_timeout = 1000");
  // What SQLite sorts aside stays in memory: no file outside the data folder holds anybody's text.
  db.pragma("temp_store = MEMORY");
  migrate(db, migrations, path, keeps);
}

/** Where the copy of an older schema stands: `queue.db.schema-3`. Removed after 30 days (see expire.ts). */
export function olderCopy(path: string, version: number): string {
  return `${path}.schema-${version}`;
}

function migrate(db: Database.Database, migrations: Migrations, path: string, keeps: boolean): void {
  // Nothing to do takes no lock: another process may be in the middle of a long write.
  const before = Number(db.pragma("user_version", { simple: true }));
  if (before === migrations.length) return;
  if (keeps && path !== ":memory:" && before > 0 && before < migrations.length) {
    snapshot(db, olderCopy(path, before));
  }
  // All steps or none: a process that dies in between leaves what was there.
  const apply = db.transaction(() => {
    const version = Number(db.pragma("user_version", { simple: true }));
    if (version > migrations.length) throw newerSchema(path, version, migrations.length);
    for (const sql of migrations.slice(version)) db.exec(sql);
    db.pragma(`user_version = ${migrations.length}`);
  });
  apply.immediate();
}

/** Writing to it could destroy what the newer one knows. */
export function newerSchema(path: string, version: number, known: number): StoreUnusable {
  return new StoreUnusable(
    `${path} has schema ${version}, newer than the ${known} that this Kodiai knows. Upgrade Kodiai, or use another KODIAI_DATA_DIR.`,
  );
}

/**
 * Runs `work` in a write transaction from its first statement on. Whatever keeps a file from being written for a while is
 * `Transient`: a lock, a full disk, a read-only file system, a failing disk.
 *
 * A sync that failed ends the process: what the system kept of the pages since is unknown, so nothing may be answered for
 * any more. The next start reads what is really on disk.
 */
export function write<T>(db: Database.Database, work: () => T): T {
  try {
    return db.transaction(work).immediate();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (SYNC_FAILED.has(error.code)) process.nextTick(endProcess, error);
    else if (PASSING.test(error.code)) throw new Transient(writeProblem(error), null, error);
    throw error;
  }
}

/** Primary result codes with their extended ones (https://www.sqlite.org/rescode.html). */
const PASSING = /^SQLITE_(?:BUSY|FULL|READONLY|IOERR)/;

function writeProblem({ code, message }: { readonly code: string; readonly message: string }): string {
  if (code.startsWith("SQLITE_BUSY")) return "the database is locked";
  if (code === "SQLITE_FULL") return "the disk is full";
  return `the disk cannot be written (${message})`;
}

const SYNC_FAILED: ReadonlySet<string> = new Set(["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC"]);

/** Thrown where nobody can catch it. */
function endProcess(cause: unknown): never {
  throw new Error("a write could not be synced to disk; the process ends, since it can promise nothing now", { cause });
}

/** As `write`, but a lock is `Transient` at once: whoever tries again later must not hold up the event loop meanwhile. */
export function writeAtOnce<T>(db: Database.Database, work: () => T): T {
  const timeout = Number(db.pragma("busy_timeout", { simple: true }));
  db.pragma("busy_timeout = 0");
  try {
    return write(db, work);
  } finally {
    db.pragma(`busy_timeout = ${timeout}`);
  }
}
