// Removes what is kept no longer (see RETENTION), a little at a time, and old copies of files.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { CHUNK, DAY_MS, RETENTION } from "../retention.ts";
import { type Database, write } from "./database.ts";
import { momentsOf } from "./moments.ts";

/** Copies that were kept when a schema changed. */
export const COPIES_DAYS = 30;
const COPY = /^(?:queue|memory)\.db\.schema-\d+(?:\.partial)?$/;

/**
 * Removes what is old. Rows of queue.db go in short transactions, with a breath between them.
 *
 * @param now epoch milliseconds
 * @returns rows and files that went
 * @throws Transient on a lock; the next run goes on
 */
export async function expire(db: Database.Database, dataDir: string, now: number): Promise<number> {
  let gone = 0;
  for (const { table, since, only, days } of RETENTION) {
    const where = `${since} < @before${only === undefined ? "" : ` AND ${only}`}`;
    const remove = db.prepare(
      `DELETE FROM ${table} WHERE ${keyOf(table)} IN (SELECT ${keyOf(table)} FROM ${table} WHERE ${where} LIMIT ${CHUNK})`,
    );
    for (let removed = CHUNK; removed === CHUNK; ) {
      removed = write(db, () => remove.run({ before: now - days * DAY_MS })).changes;
      gone += removed;
      if (removed === CHUNK) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  momentsOf(db).set("tidied", now);
  for (const name of readdirSync(dataDir).filter((one) => COPY.test(one))) {
    const path = join(dataDir, name);
    if (statSync(path).mtimeMs >= now - COPIES_DAYS * DAY_MS) continue;
    rmSync(path, { force: true });
    gone += 1;
  }
  return gone;
}

/** Tables without row ids are known by their names. */
function keyOf(table: string): string {
  return table === "redeliveries" ? "id" : "rowid";
}
