// Answers of the model to reviews that are not written yet, beside the queue.
import type { Database } from "better-sqlite3";
import type { ReplyBook } from "../../ports/model.ts";
import { write } from "./database.ts";

/** Over an open queue database (see QUEUE_MIGRATIONS). Throws `Transient` on a lock. */
export function sqliteReplyBook(db: Database): ReplyBook {
  return {
    async find(key, question) {
      const find = db.prepare("SELECT answer FROM replies WHERE key = ? AND question = ?").pluck();
      return (find.get(key, question) as string | undefined) ?? null;
    },
    async keep(key, question, answer, at) {
      const keep = db.prepare("INSERT OR REPLACE INTO replies (key, question, answer, at) VALUES (?, ?, ?, ?)");
      write(db, () => keep.run(key, question, answer, at));
    },
  };
}
