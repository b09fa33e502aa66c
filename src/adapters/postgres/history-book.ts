// Where imports of past reviews stand, beside the queue: after a crash they go on there.
import type { HistoryProgress } from "../../domain/history.ts";
import type { HistoryBook } from "../../ports/history.ts";
import type { Postgres } from "./sql.ts";

/** Over an open database (see BOOK_PART). Throws `Transient` when it cannot be asked. */
export function postgresHistoryBook(db: Postgres): HistoryBook {
  return {
    async of(repo) {
      const row = await db.one<{ progress: string }>("SELECT progress FROM history WHERE repo = $1", [repo]);
      return row === null ? null : (JSON.parse(row.progress) as HistoryProgress);
    },
    async save(repo, progress) {
      await db.run(
        `INSERT INTO history (repo, progress) VALUES ($1, $2)
         ON CONFLICT (repo) DO UPDATE SET progress = excluded.progress`,
        [repo, JSON.stringify(progress)],
      );
    },
  };
}
