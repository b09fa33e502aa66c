// What retrieval did, row by row. A log that grew too old or too long shrinks a little with each row.
import type { RetrievalLog } from "../../ports/memory.ts";
import { LOG_LIMITS, type LogLimits, retrievalRow } from "../memory/retrieval-row.ts";
import type { Postgres, Sql } from "./sql.ts";

/** The log over an open database. An id that is there already is left as it is. */
export function postgresRetrievalLog(db: Postgres, limits: LogLimits = LOG_LIMITS): RetrievalLog {
  return {
    async write(entry) {
      const row = retrievalRow(entry);
      const names = Object.keys(row);
      await db.run(
        `INSERT INTO retrievals (${names.join(", ")}) VALUES (${names.map((_, at) => `$${at + 1}`).join(", ")})
         ON CONFLICT (id) DO NOTHING`,
        Object.values(row),
      );
      await shrink(db, entry.createdAt - limits.ageMs, limits);
    },
  };
}

/** Rows leave oldest first, so the newest row's number tells which are over the limit without counting. */
async function shrink(sql: Sql, before: number, { rows, chunk }: LogLimits): Promise<void> {
  await sql.run(
    `DELETE FROM retrievals WHERE row IN (
       SELECT row FROM retrievals WHERE row <= (SELECT max(row) FROM retrievals) - $1::bigint
       ORDER BY row LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [rows, chunk],
  );
  await sql.run(
    `DELETE FROM retrievals WHERE row IN (
       SELECT row FROM retrievals WHERE created_at < $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [before, chunk],
  );
}
