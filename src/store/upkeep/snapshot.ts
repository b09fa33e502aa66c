// A copy of an open database as it stands at one moment, while others write: whole on the disk, or not there at all.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { ownerOnly } from "../owner-only.ts";

/**
 * Copies the database to `to`; where a copy stands already, that one is kept. VACUUM INTO reads one snapshot of the log,
 * so writers neither wait nor disturb it, and leaves out free pages: what was removed is not in the copy.
 *
 * @throws Error as SQLite says it: the disk is full, the file is damaged
 */
export function snapshot(db: Database.Database, to: string): void {
  if (existsSync(to)) return;
  const partial = `${to}.partial`;
  rmSync(partial, { force: true });
  try {
    // An empty file counts as none.
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
