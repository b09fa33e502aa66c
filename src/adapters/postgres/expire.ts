// Removes what is kept no longer (see RETENTION), a little at a time; servers that come by at the same time skip each other's rows.
import { CHUNK, DAY_MS, RETENTION } from "../retention.ts";
import { momentsOf } from "./moments.ts";
import type { Postgres } from "./sql.ts";

/**
 * @param now epoch milliseconds
 * @returns rows that went
 * @throws Transient when the database cannot be asked; the next run goes on
 */
export async function expire(db: Postgres, now: number): Promise<number> {
  let gone = 0;
  for (const { table, since, only, days } of RETENTION) {
    const where = `${since} < $1${only === undefined ? "" : ` AND ${only}`}`;
    const remove = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${table} WHERE ${where} LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;
    for (let removed = CHUNK; removed === CHUNK; gone += removed) removed = await db.run(remove, [now - days * DAY_MS]);
  }
  await momentsOf(db).set("tidied", now);
  return gone;
}
