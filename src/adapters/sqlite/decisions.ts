// What people decided about pull requests, beside the queue: it holds over pushes and restarts.
import type { Database } from "better-sqlite3";
import type { Declined } from "../../domain/conversation.ts";
import type { Decisions } from "../../ports/talk.ts";
import { write } from "./database.ts";

/** Decisions over an open queue database (see QUEUE_MIGRATIONS). Throws `Transient` on a lock. */
export function sqliteDecisions(db: Database): Decisions {
  return {
    of: async (key) => ({
      pausedBy: (db.prepare("SELECT by FROM paused WHERE key = ?").pluck().get(key) as string | undefined) ?? null,
      declined: db
        .prepare("SELECT finding AS findingId, by, reason FROM declined WHERE key = ? ORDER BY at, finding")
        .all(key) as Declined[],
    }),
    async pause(key, by, now) {
      write(db, () =>
        db
          .prepare("INSERT INTO paused (key, by, at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET by = excluded.by")
          .run(key, by, now),
      );
    },
    resume: async (key) => write(db, () => db.prepare("DELETE FROM paused WHERE key = ?").run(key).changes > 0),
    async decline(key, { findingId, by, reason }, now) {
      write(db, () =>
        db
          .prepare(
            `INSERT INTO declined (key, finding, by, reason, at) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (key, finding) DO UPDATE SET by = excluded.by, reason = excluded.reason, at = excluded.at`,
          )
          .run(key, findingId, by, reason, now),
      );
    },
    restore: async (key, findingId) =>
      write(db, () => db.prepare("DELETE FROM declined WHERE key = ? AND finding = ?").run(key, findingId).changes > 0),
  };
}
