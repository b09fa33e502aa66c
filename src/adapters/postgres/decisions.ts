// What people decided about pull requests, beside the queue: it holds over pushes and restarts.
import type { Declined } from "../../domain/conversation.ts";
import type { Decisions } from "../../ports/talk.ts";
import type { Postgres } from "./sql.ts";

/** Decisions over an open database (see BOOK_PART). Throws `Transient` when it cannot be asked. */
export function postgresDecisions(db: Postgres): Decisions {
  return {
    async of(key) {
      const paused = await db.one<{ by: string }>("SELECT by FROM paused WHERE key = $1", [key]);
      const declined = await db.all<Declined>(
        `SELECT finding AS "findingId", by, reason FROM declined WHERE key = $1 ORDER BY at, finding`,
        [key],
      );
      return { pausedBy: paused?.by ?? null, declined };
    },
    async pause(key, by, now) {
      await db.run(
        "INSERT INTO paused (key, by, at) VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE SET by = excluded.by",
        [key, by, now],
      );
    },
    resume: async (key) => (await db.run("DELETE FROM paused WHERE key = $1", [key])) > 0,
    async decline(key, { findingId, by, reason }, now) {
      await db.run(
        `INSERT INTO declined (key, finding, by, reason, at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (key, finding) DO UPDATE SET by = excluded.by, reason = excluded.reason, at = excluded.at`,
        [key, findingId, by, reason, now],
      );
    },
    restore: async (key, findingId) =>
      (await db.run("DELETE FROM declined WHERE key = $1 AND finding = $2", [key, findingId])) > 0,
  };
}
