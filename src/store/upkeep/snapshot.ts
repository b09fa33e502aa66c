// Copies an open database atomically, at one moment, while others write to it.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { ownerOnly } from "../owner-only.ts";

/**
 * Copies the database to `to`; keeps an existing copy. VACUUM INTO reads one snapshot, so writers are not blocked, and skips free
 * pages, so deleted data is not in the copy.
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
