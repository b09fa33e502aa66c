// Deletes expired rows (see RETENTION) in chunks; concurrent servers skip each other's rows.
import { setImmediate } from "node:timers/promises";
import { CHUNK, DAY_MS, RETENTION } from "../adapters/retention.ts";
import { storedMoments } from "./queue/moments.ts";
import type { Database } from "./sql.ts";

/** Primary keys of tables, if other than `id`. */
const KEYS: Readonly<Record<string, string>> = {
  moments: "name",
  reviews: "written",
  replies: "key || ' ' || question",
};

/**
 * @param now epoch milliseconds
 * @returns the number of deleted rows
 * @throws Transient; the next run resumes
 */
export async function expireRows(db: Database, now: number): Promise<number> {
  let removedRows = 0;
  for (const { table, since, only, days } of RETENTION) {
    const key = KEYS[table] ?? "id";
    const where = `${since} < $1${only === undefined ? "" : ` AND ${only}`}`;
    const remove = `DELETE FROM ${table} WHERE ${key} IN
      (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${CHUNK}${db.dialect.skipLocked})`;
    for (let removed = CHUNK; removed === CHUNK; removedRows += removed) {
      removed = await db.run(remove, [now - days * DAY_MS]);
      await setImmediate();
    }
  }
  await storedMoments(db).set("tidied", now);
  return removedRows;
}
