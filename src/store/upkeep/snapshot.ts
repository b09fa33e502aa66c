// Copies an open database at one moment, while others write; also before a schema upgrade.
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type Database from "better-sqlite3";
import { DAY_MS } from "../../adapters/retention.ts";
import { type SchemaPart, versions } from "../migrate.ts";
import { ownerOnly } from "../owner-only.ts";
import type { SqliteDatabase } from "../sqlite.ts";

/**
 * Copies the database to `to`; keeps an existing copy. VACUUM INTO reads one snapshot: writers are
 * not blocked, and deleted data is not copied.
 *
 * @throws Error of SQLite: the disk is full, the file is damaged
 */
export function snapshot(db: Database.Database, to: string): void {
  if (existsSync(to)) return;
  const partial = `${to}.partial`;
  rmSync(partial, { force: true });
  try {
    // SQLite accepts an empty file as a target.
    ownerOnly(partial);
    db.prepare("VACUUM INTO ?").run(partial);
    syncToDisk(partial);
    renameSync(partial, to);
    syncToDisk(dirname(to));
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Returns once the bytes of a file, or the names in a folder, are on the disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** How long copies from before a schema upgrade are kept, for a return to the older Kodiai. */
export const COPIES_DAYS = 30;
const COPY = /^(?:queue|memory)\.db\.schema-\d+(?:\.partial)?$/;

/**
 * Creates `FILE.schema-N` before `migrate` runs missing steps on the file at `path`.
 *
 * @throws Error when the disk is full; then nothing was changed
 */
export async function keepBeforeUpgrade(db: SqliteDatabase, { part, steps }: SchemaPart, path: string): Promise<void> {
  const version = (await versions(db)).get(part) ?? 0;
  if (path !== ":memory:" && version > 0 && version < steps.length)
    snapshot(db.connection, `${path}.schema-${version}`);
}

/** @param now epoch milliseconds @returns how many copies older than COPIES_DAYS were removed */
export function removeOldCopies(dataDir: string, now: number): number {
  const old = readdirSync(dataDir)
    .filter((name) => COPY.test(name))
    .map((name) => join(dataDir, name))
    .filter((path) => statSync(path).mtimeMs < now - COPIES_DAYS * DAY_MS);
  for (const path of old) rmSync(path, { force: true });
  return old.length;
}
