// Who may read what is kept: its owner alone. SQLite gives a log the rights of its database.
import { chmodSync, closeSync, existsSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The databases with their logs, copies of older schemas, and tombstones. */
const OURS = /^(?:(?:queue|memory)\.db|forgotten\.jsonl)/;

/**
 * Before a database is opened or written: creates it for its owner alone, or takes from others the rights that they have to
 * it and its log. Where that fails nothing is thrown: SQLite reports a file that cannot be opened in its own words, and
 * another user's file is left as it is.
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
 * The same for a folder and what lies in it. A folder that everybody may write to, such as /tmp, is not ours to close.
 *
 * @returns why others may still look into it, or null
 */
export function ownerOnlyFolder(folder: string): string | null {
  const isShared = (statSync(folder).mode & 0o1000) !== 0;
  for (const name of readdirSync(folder)) if (OURS.test(name)) tighten(join(folder, name));
  if (isShared) return "it is shared by all users of this machine";
  return tighten(folder) ? null : "its rights cannot be changed: it belongs to another user";
}

/** @returns false where others keep rights to it */
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
