// Restricts the store's files to their owner. SQLite gives the log the permissions of its database.
import { chmodSync, closeSync, existsSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The databases with their logs, copies of older schemas, and tombstones. */
const OURS = /^(?:(?:queue|memory)\.db|forgotten\.jsonl)/;

/**
 * Before a database is opened: creates the file for its owner only, or removes others' permissions
 * from it and its log. Never throws: SQLite reports a file that cannot be opened, and another
 * user's stays as it is.
 */
export function ownerOnly(path: string): void {
  try {
    if (!existsSync(path)) closeSync(openSync(path, "ax", 0o600));
  } catch {
    return;
  }
  for (const one of [path, `${path}-wal`, `${path}-shm`]) tighten(one);
}

/**
 * The same for a folder and its files. A world-writable folder, such as /tmp, is left alone.
 *
 * @returns why others may still list it, or null
 */
export function ownerOnlyFolder(folder: string): string | null {
  const isShared = (statSync(folder).mode & 0o1000) !== 0;
  for (const name of readdirSync(folder)) if (OURS.test(name)) tighten(join(folder, name));
  if (isShared) return "it is shared by all users of this machine";
  return tighten(folder) ? null : "its rights cannot be changed: it belongs to another user";
}

/** @returns false when others keep permissions */
function tighten(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return true;
  try {
    chmodSync(path, mode & 0o700);
    return true;
  } catch {
    return false;
  }
}
