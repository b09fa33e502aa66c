// What retrieval did, row by row beside the queue. A log that grew too old or too long shrinks a little with each row.
import type { RetrievalLog } from "../../ports/memory.ts";
import { LOG_LIMITS, type LogLimits, retrievalRow } from "../memory/retrieval-row.ts";
import { type Database, write } from "./database.ts";

/**
 * The log over an open queue database (see QUEUE_MIGRATIONS). An id that is there already is left as it is.
 *
 * Rejects with `Transient` on a lock.
 */
export function sqliteRetrievalLog(db: Database.Database, limits: LogLimits = LOG_LIMITS): RetrievalLog {
  return {
    // Async, so that whatever SQLite throws is a rejection.
    async write(entry) {
      const row = retrievalRow(entry);
      const names = Object.keys(row);
      write(db, () => {
        db.prepare(
          `INSERT INTO retrievals (${names.join(", ")}) VALUES (${names.map((name) => `@${name}`).join(", ")}) ON CONFLICT (id) DO NOTHING`,
        ).run(row);
        shrink(db, entry.createdAt - limits.ageMs, limits);
      });
    },
  };
}

/** Rows leave oldest first, so the newest row's number tells which are over the limit without counting. */
function shrink(db: Database.Database, before: number, { rows, chunk }: LogLimits): void {
  db.prepare(
    `DELETE FROM retrievals WHERE row IN (
       SELECT row FROM retrievals WHERE row <= (SELECT max(row) FROM retrievals) - @rows ORDER BY row LIMIT @chunk)`,
  ).run({ rows, chunk });
  db.prepare(
    "DELETE FROM retrievals WHERE row IN (SELECT row FROM retrievals WHERE created_at < @before ORDER BY created_at LIMIT @chunk)",
  ).run({ before, chunk });
}
