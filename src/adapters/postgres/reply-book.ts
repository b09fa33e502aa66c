// Answers of the model to reviews that are not written yet, beside the queue.
import type { ReplyBook } from "../../ports/model.ts";
import type { Postgres } from "./sql.ts";

/** Over an open database (see BOOK_PART). Throws `Transient` when it cannot be asked. */
export function postgresReplyBook(db: Postgres): ReplyBook {
  return {
    async find(key, question) {
      const kept = "SELECT answer FROM replies WHERE key = $1 AND question = $2";
      return (await db.one<{ answer: string }>(kept, [key, question]))?.answer ?? null;
    },
    async keep(key, question, answer, at) {
      await db.run(
        `INSERT INTO replies (key, question, answer, at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (key, question) DO UPDATE SET answer = excluded.answer, at = excluded.at`,
        [key, question, answer, at],
      );
    },
  };
}
