// Opens SQLite with Kodiai's settings and runs the store's statements on it.

import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import BetterSqlite from "better-sqlite3";
import { Transient } from "../domain/errors.ts";
import { oneAtATime } from "../domain/one-at-a-time.ts";
import { noteDamage } from "./damage.ts";
import { SQLITE, storable } from "./dialect.ts";
import { ownerOnly } from "./owner-only.ts";
import { type Database, NESTED, ranBy, type Sql } from "./sql.ts";

export interface SqliteSettings {
  readonly now: () => number;
  /** True: only reads; the file must exist. */
  readonly isReader?: boolean;
  /** Maximum size in pages of 4 KiB; only for tests of a full disk. */
  readonly mostPages?: number | undefined;
  /** Loads sqlite-vec: the installed package, or an extension file. Absent: not loaded. */
  readonly vectors?: "installed" | { readonly file: string } | undefined;
}

export interface SqliteDatabase extends Database {
  /** The connection itself: for backups, checkpoints and integrity checks. */
  readonly connection: BetterSqlite.Database;
  /** Why sqlite-vec could not be loaded; null when it was, or was not requested. */
  readonly vectorsMissing: string | null;
}

/** How long a statement waits for another process's lock, and how often it retries. */
const LOCK_MS = 1_000;
const LOCK_POLL_MS = 10;

/**
 * Opens (or creates) a file.
 *
 * @param path a file, or `:memory:`
 * @throws Error when it is not a database
 */
export function openSqlite(path: string, settings: SqliteSettings): SqliteDatabase {
  const isReader = settings.isReader ?? false;
  const isNew = path !== ":memory:" && !isReader && !existsSync(path);
  if (path !== ":memory:" && !isReader) ownerOnly(path);
  const connection = new BetterSqlite(path, { readonly: isReader, fileMustExist: isReader });
  try {
    prepare(connection, settings);
  } catch (error) {
    connection.close();
    // On a full disk a new file stays empty, and the next start would take it for one with lost
    // data.
    if (isNew && statSync(path).size === 0) rmSync(path);
    throw error;
  }
  const vectorsMissing = settings.vectors === undefined ? null : loadVectors(connection, settings.vectors);
  return { ...sqliteDatabase(connection), connection, vectorsMissing };
}

function prepare(connection: BetterSqlite.Database, { isReader, mostPages, now }: SqliteSettings): void {
  if (isReader !== true) {
    connection.pragma("journal_mode = WAL");
    // better-sqlite3 reopens WAL with NORMAL, which does not sync a commit: a delivery could be
    // lost.
    connection.pragma("synchronous = FULL");
    connection.pragma("foreign_keys = ON");
    // Deleted text is overwritten.
    connection.pragma("secure_delete = ON");
    // No file outside the data folder holds text of a repository.
    connection.pragma("temp_store = MEMORY");
    if (mostPages !== undefined) connection.pragma(`max_page_count = ${mostPages}`);
  }
  // SQLite's own wait would block the event loop; `whenFree` waits without blocking.
  connection.pragma("busy_timeout = 0");
  connection.function("kodiai_now", () => now());
}

function loadVectors(connection: BetterSqlite.Database, from: NonNullable<SqliteSettings["vectors"]>): string | null {
  try {
    // Not an import: the package is native code for some platforms, and search works without it.
    if (from === "installed")
      (createRequire(import.meta.url)("sqlite-vec") as typeof import("sqlite-vec")).load(connection);
    else connection.loadExtension(from.file);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function sqliteDatabase(connection: BetterSqlite.Database): Database {
  const statements = new Map<string, BetterSqlite.Statement>();
  const prepared = (text: string): BetterSqlite.Statement => {
    // Distinct statements are few: values are parameters. Compiling one takes longer than running.
    const known = statements.get(text) ?? connection.prepare(text);
    statements.set(text, known);
    return known;
  };
  const rows = <Row>(text: string, values?: readonly unknown[]) => prepared(text).all(named(values)) as Row[];
  const direct: Sql = {
    dialect: SQLITE,
    all: async (text, values) => rows(text, values),
    one: async <Row>(text: string, values?: readonly unknown[]) => rows<Row>(text, values)[0] ?? null,
    run: async (text, values) =>
      prepared(text).reader ? rows(text, values).length : prepared(text).run(named(values)).changes,
  };
  const alone = turns();
  /** Rolls back a transaction that a failed disk left open, because nothing may run inside it. */
  const rollBack = () => {
    if (connection.inTransaction) connection.exec("ROLLBACK");
  };
  const fresh = <T>(work: () => Promise<T>) =>
    whenFree(async () => {
      rollBack();
      return work();
    });
  const ask = <T>(work: () => Promise<T>) => alone(() => fresh(work));
  const transaction = <T>(begin: string, work: (tx: Sql) => Promise<T>) =>
    alone(async () => {
      // `work` waits for nothing but its statements, so in a turn of its own it runs to its end: no
      // other job computes while other processes wait for the lock.
      await setImmediate();
      await fresh(async () => void connection.exec(begin));
      let hasEnded = false;
      const tx = ranBy(direct, (ask) =>
        hasEnded ? Promise.reject(new Error("the transaction has ended")) : translated(ask),
      );
      try {
        const answer = await work(tx);
        await whenFree(async () => void connection.exec("COMMIT"));
        return answer;
      } catch (error) {
        // Report the original error; the next turn retries the rollback.
        await translated(async () => rollBack()).catch(() => {});
        throw error;
      } finally {
        hasEnded = true;
      }
    });
  return {
    ...ranBy(direct, ask),
    // With the write lock first: one that reads and then writes could not wait for a lock.
    transaction: (work) => transaction("BEGIN IMMEDIATE", work),
    snapshot: (work) => transaction("BEGIN", work),
    script: (text) => ask(async () => void connection.exec(text)),
    close: () => alone(async () => void connection.close()),
  };
}

/** better-sqlite3 binds `$1` by name, not by position. */
function named(values: readonly unknown[] = []): Record<string, unknown> {
  return Object.fromEntries(values.map((value, at) => [String(at + 1), bound(value)]));
}

function bound(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (typeof value === "boolean") return Number(value);
  return Array.isArray(value) ? JSON.stringify(value) : value;
}

/** Runs work in order, one at a time; refuses nested calls. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  const current = new AsyncLocalStorage<{ isOpen: boolean }>();
  const inTurn = oneAtATime();
  return async (work) => {
    if (current.getStore()?.isOpen === true) throw new Error(NESTED);
    const turn = { isOpen: true };
    return inTurn(() => current.run(turn, work)).finally(() => {
      turn.isOpen = false;
    });
  };
}

/** Retries while another process holds the lock; finally throws `Transient`. */
async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + LOCK_MS;
  for (;;) {
    try {
      return await translated(work);
    } catch (error) {
      if (!(error instanceof Locked) || performance.now() >= until) throw error;
      await sleep(LOCK_POLL_MS);
    }
  }
}

class Locked extends Transient {}

/**
 * Temporary failures become `Transient`: a lock, a full or read-only disk, a failed read or write.
 * A failed sync exits the process: the state of the pages on disk is unknown.
 */
async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BetterSqlite.SqliteError)) throw error;
    const { code } = error;
    noteDamage(code);
    if (SYNC_FAILED.has(code)) process.nextTick(endProcess, error);
    else if (code.startsWith("SQLITE_BUSY")) throw new Locked("the database is locked", null, error);
    else if (code === "SQLITE_FULL") throw new Transient("the disk is full", null, error);
    else if (code.startsWith("SQLITE_READONLY")) throw new Transient("the disk is read-only", null, error);
    else if (code.startsWith("SQLITE_IOERR")) throw new Transient("the disk failed", null, error);
    throw error;
  }
}

const SYNC_FAILED: ReadonlySet<string> = new Set(["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC"]);

function endProcess(cause: unknown): never {
  const message = "a write could not be synced to disk; the process ends, because it can promise nothing now";
  throw new Error(message, { cause });
}
