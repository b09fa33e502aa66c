// Every answer that was given, so that no conversation runs away: not with a bot, not with somebody who floods us.
import type { Database } from "better-sqlite3";
import type { AnswerBook } from "../../ports-talk.ts";
import { write } from "./database.ts";

/** The book over an open queue database (see QUEUE_MIGRATIONS). Throws `Transient` on a lock. */
export function sqliteAnswerBook(db: Database): AnswerBook {
  return {
    record({ repo, thread, userId, kind, at }) {
      write(db, () =>
        db
          .prepare("INSERT INTO answers (repo, thread, user_id, kind, at) VALUES (?, ?, ?, ?, ?)")
          .run(repo, thread, userId, kind, at),
      );
    },
    given: ({ repo, userId, kind }, since) =>
      db
        .prepare("SELECT count(*) FROM answers WHERE repo = ? AND user_id = ? AND kind = ? AND at >= ?")
        .pluck()
        .get(repo, userId, kind, since) as number,
    repliesInARow: (thread) =>
      db
        .prepare(
          `SELECT count(*) FROM answers WHERE thread = ? AND kind = 'reply' AND id >
             coalesce((SELECT max(id) FROM answers WHERE thread = ? AND kind = 'command'), 0)`,
        )
        .pluck()
        .get(thread, thread) as number,
  };
}
