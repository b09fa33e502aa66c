// How long things are kept, in one list: what is older goes, a little at a time. docs/data.md shows this list.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Database, write } from "./database.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Rows a transaction: a delivery that comes in meanwhile is not kept waiting. */
const CHUNK = 500;

export interface Retention {
  readonly table: string;
  /** Which rows, in SQL; `@before` is so many days ago. */
  readonly where: string;
  readonly days: number;
}

/** Of queue.db. What has no row here stays until its repository is forgotten. */
export const RETENTION: readonly Retention[] = [
  // GitHub can send a delivery again for 3 days; an id is known for much longer.
  { table: "deliveries", where: "received_at < @before", days: 60 },
  { table: "redeliveries", where: "at < @before", days: 60 },
  // Looking for what people did about findings goes by the last job of a pull request for 30 days.
  { table: "jobs", where: "finished_at < @before AND state NOT IN ('waiting', 'running')", days: 60 },
  { table: "answers", where: "at < @before", days: 60 },
  { table: "intents", where: "ended_at < @before AND state <> 'sent'", days: 90 },
  { table: "check_runs", where: "ended_at < @before", days: 60 },
  { table: "reviews", where: "settled_at < @before", days: 400 },
  { table: "spending", where: "at < @before", days: 400 },
];

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
  for (const { table, where, days } of RETENTION) {
    const remove = db.prepare(
      `DELETE FROM ${table} WHERE ${keyOf(table)} IN (SELECT ${keyOf(table)} FROM ${table} WHERE ${where} LIMIT ${CHUNK})`,
    );
    for (let removed = CHUNK; removed === CHUNK; ) {
      removed = write(db, () => remove.run({ before: now - days * DAY_MS })).changes;
      gone += removed;
      if (removed === CHUNK) await new Promise((resolve) => setImmediate(resolve));
    }
  }
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
