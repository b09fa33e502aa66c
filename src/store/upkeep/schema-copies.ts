// Copies of files as they were before an upgrade changed their schema, for whoever goes back to the older Kodiai.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../adapters/retention.ts";
import { type SchemaPart, versions } from "../migrate.ts";
import type { SqliteDatabase } from "../sqlite.ts";
import { snapshot } from "./snapshot.ts";

export const COPIES_DAYS = 30;
const COPY = /^(?:queue|memory)\.db\.schema-\d+(?:\.partial)?$/;

/**
 * Keeps `FILE.schema-N` before `migrate` runs the steps that the file at `path` lacks. A new or current file is not copied.
 *
 * @throws Error when the disk is full: then nothing was changed
 */
export async function keepBeforeUpgrade(db: SqliteDatabase, { part, steps }: SchemaPart, path: string): Promise<void> {
  const version = (await versions(db)).get(part) ?? 0;
  if (path !== ":memory:" && version > 0 && version < steps.length)
    snapshot(db.connection, `${path}.schema-${version}`);
}

/** @param now epoch milliseconds @returns how many copies were removed, because they are older than COPIES_DAYS */
export function removeOldCopies(dataDir: string, now: number): number {
  const old = readdirSync(dataDir)
    .filter((name) => COPY.test(name))
    .map((name) => join(dataDir, name))
    .filter((path) => statSync(path).mtimeMs < now - COPIES_DAYS * DAY_MS);
  for (const path of old) rmSync(path, { force: true });
  return old.length;
}
