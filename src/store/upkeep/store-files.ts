// The two files of a SQLite store, and their integrity check.
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import BetterSqlite from "better-sqlite3";
import { StoreUnusable } from "../../domain/errors.ts";
import { pageProblems } from "../memory/memory-file.ts";
import { MEMORY_PART } from "../memory/schema.ts";
import type { SchemaPart } from "../migrate.ts";
import { QUEUE_PART } from "../queue/schema.ts";

/**
 * In the order of backups: a memory newer than its queue knows a review that the queue takes for
 * unsent; harmless, since sending asks GitHub first. An older one would miss a review for good.
 */
export const STORE_FILES = [
  { name: "queue.db", part: QUEUE_PART },
  { name: "memory.db", part: MEMORY_PART },
] as const;

const REMEDY =
  "Stop Kodiai, move this file and those beside it that begin with its name away, and restore a backup (kodiai restore DIR).";

/**
 * Reads the whole file, about a second per gigabyte, and writes nothing.
 *
 * @param path a file; it may be absent
 * @throws StoreUnusable when it is damaged, lost its data, or is of a newer Kodiai
 */
export function checkFile(path: string, part: SchemaPart): void {
  if (!existsSync(path)) return;
  if (statSync(path).size === 0) {
    if (isUnbegun(path)) return;
    throw new StoreUnusable(`${path} is empty: what it held is lost. ${REMEDY}`);
  }
  const damage = damageOf(path, part);
  if (damage !== null) throw new StoreUnusable(`${path} is damaged (${damage}). ${REMEDY}`);
}

/** Null for an intact file. Throws StoreUnusable for one of a newer Kodiai. */
function damageOf(path: string, { part, steps }: SchemaPart): string | null {
  let db: BetterSqlite.Database | undefined;
  try {
    db = new BetterSqlite(path, { fileMustExist: true, timeout: 1_000 });
    const tables = db.prepare("SELECT count(*) FROM sqlite_master").pluck().get() as number;
    const version = schemaVersion(db, part);
    if (version > steps.length && version < 10_000)
      throw new StoreUnusable(
        `${path} has schema ${version}, newer than the ${steps.length} that this Kodiai knows. Upgrade Kodiai, or use another KODIAI_DATA_DIR.`,
      );
    // Tables and version are written in one transaction.
    if ((version === 0) !== (tables === 0) || version < 0 || version > steps.length)
      return `schema ${version} with ${tables} tables and indexes`;
    return pageProblems(db)[0] ?? null;
  } catch (error) {
    if (error instanceof StoreUnusable) throw error;
    return error instanceof Error ? error.message : String(error);
  } finally {
    db?.close();
  }
}

/** 0 for a file without a schema. */
export function schemaVersion(db: BetterSqlite.Database, part: string): number {
  const known = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_steps'").get();
  if (known === undefined) return 0;
  return (db.prepare("SELECT max(version) FROM schema_steps WHERE part = ?").pluck().get(part) as number | null) ?? 0;
}

/**
 * Whether an empty file never held anything: a process killed in its first start leaves an empty
 * queue.db before memory.db exists, or an empty memory.db before queue.db has rows.
 */
function isUnbegun(path: string): boolean {
  const [queue, memory] = [join(dirname(path), "queue.db"), join(dirname(path), "memory.db")];
  if (existsSync(`${path}-wal`)) return false;
  return path === queue ? !existsSync(memory) : existsSync(queue) && isUnused(queue);
}

function isUnused(queue: string): boolean {
  const db = new BetterSqlite(queue, { timeout: 1_000 });
  try {
    const seen =
      "SELECT EXISTS (SELECT 1 FROM deliveries) + EXISTS (SELECT 1 FROM jobs) + EXISTS (SELECT 1 FROM reviews)";
    return db.prepare(seen).pluck().get() === 0;
  } catch {
    // The other file is damaged, which is reported when it is opened.
    return false;
  } finally {
    db.close();
  }
}
