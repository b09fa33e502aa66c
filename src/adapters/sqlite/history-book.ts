// Where imports of past reviews stand, beside the queue: after a crash they go on there.
import type { Database } from "better-sqlite3";
import type { HistoryProgress } from "../../domain/history.ts";
import type { HistoryBook } from "../../ports/history.ts";
import { write } from "./database.ts";

/** Over an open queue database (see QUEUE_MIGRATIONS). Throws `Transient` on a lock. */
export function sqliteHistoryBook(db: Database): HistoryBook {
  return {
    async of(repo) {
      const row = db.prepare("SELECT progress FROM history WHERE repo = ?").pluck().get(repo) as string | undefined;
      return row === undefined ? null : (JSON.parse(row) as HistoryProgress);
    },
    async save(repo, progress) {
      write(db, () =>
        db
          .prepare(
            `INSERT INTO history (repo, progress) VALUES (?, ?)
             ON CONFLICT (repo) DO UPDATE SET progress = excluded.progress`,
          )
          .run(repo, JSON.stringify(progress)),
      );
    },
  };
}
