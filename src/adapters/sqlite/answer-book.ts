// Every answer that was given, so that no conversation runs away: not with a bot, not with somebody who floods us.
import type { Database } from "better-sqlite3";
import type { AnswerBook } from "../../ports/talk.ts";
import type { Held } from "../../ports.ts";
import { fenced } from "./hold.ts";

/**
 * The book over an open queue database (see QUEUE_MIGRATIONS). Throws `Transient` on a lock; what writes throws LeaseLost once the
 * job is not held any more.
 *
 * @param held the job that writes; null where none stands behind it
 */
export function sqliteAnswerBook(db: Database, held: Held | null = null): AnswerBook {
  return {
    async record({ comment, repo, thread, userId, kind, at }) {
      fenced(db, held, () =>
        db
          .prepare(
            `INSERT INTO answers (comment, repo, thread, user_id, kind, at) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (comment) DO NOTHING`,
          )
          .run(comment, repo, thread, userId, kind, at),
      );
    },
    given: async ({ comment, repo, userId }, kind, since) =>
      db
        .prepare(
          "SELECT count(*) FROM answers WHERE repo = ? AND user_id = ? AND kind = ? AND at >= ? AND comment <> ?",
        )
        .pluck()
        .get(repo, userId, kind, since, comment) as number,
    repliesInARow: async ({ comment, thread }) =>
      db
        .prepare(
          `SELECT count(*) FROM answers WHERE thread = ? AND kind = 'reply' AND comment <> ? AND id >
             coalesce((SELECT max(id) FROM answers WHERE thread = ? AND kind = 'command'), 0)`,
        )
        .pluck()
        .get(thread, comment, thread) as number,
  };
}
