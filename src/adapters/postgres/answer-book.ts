// Every answer that was given, so that no conversation runs away: not with a bot, not with somebody who floods us.
import type { AnswerBook } from "../../ports/talk.ts";
import type { Held } from "../../ports.ts";
import { fenced } from "./hold.ts";
import type { Postgres } from "./sql.ts";

/**
 * The book over an open database (see BOOK_PART). Throws `Transient` when it cannot be asked; what writes throws LeaseLost once the
 * job is not held any more.
 *
 * @param held the job that writes; null where none stands behind it
 */
export function postgresAnswerBook(db: Postgres, held: Held | null = null): AnswerBook {
  const count = async (sql: string, values: readonly unknown[]) =>
    (await db.one<{ count: number }>(sql, values))?.count ?? 0;
  return {
    async record({ comment, repo, thread, userId, kind, at }) {
      await fenced(db, held, (sql) =>
        sql.run(
          `INSERT INTO answers (comment, repo, thread, user_id, kind, at) VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (comment) DO NOTHING`,
          [comment, repo, thread, userId, kind, at],
        ),
      );
    },
    given: ({ comment, repo, userId }, kind, since) =>
      count(
        "SELECT count(*) FROM answers WHERE repo = $1 AND user_id = $2 AND kind = $3 AND at >= $4 AND comment <> $5",
        [repo, userId, kind, since, comment],
      ),
    repliesInARow: ({ comment, thread }) =>
      count(
        `SELECT count(*) FROM answers WHERE thread = $1 AND kind = 'reply' AND comment <> $2 AND id >
           coalesce((SELECT max(id) FROM answers WHERE thread = $1 AND kind = 'command'), 0)`,
        [thread, comment],
      ),
  };
}
