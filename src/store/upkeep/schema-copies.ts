// Copies of files from before a schema upgrade, for a return to the older Kodiai.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../adapters/retention.ts";
import { type SchemaPart, versions } from "../migrate.ts";
import type { SqliteDatabase } from "../sqlite.ts";
import { snapshot } from "./snapshot.ts";

export const COPIES_DAYS = 30;
const COPY = /^(?:queue|memory)\.db\.schema-\d+(?:\.partial)?$/;

/**
 * Creates `FILE.schema-N` before `migrate` runs missing steps on the file at `path`. A new or current file is not copied.
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
