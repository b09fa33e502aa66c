// What models cost, a row a question, beside the queue: budgets of a month are held against it, and it outlives restarts.
import type { Database } from "better-sqlite3";
import type { Repo } from "../../domain/job.ts";
import type { SpendingBook } from "../../ports/model.ts";
import { write } from "./database.ts";

/** The book over an open queue database (see QUEUE_MIGRATIONS). Throws `Transient` on a lock. */
export function sqliteSpending(db: Database): SpendingBook {
  return {
    async since(repo, since) {
      const sum = "SELECT coalesce(sum(usd), 0) FROM spending WHERE at >= ?";
      if (repo === null) return db.prepare(sum).pluck().get(since) as number;
      return db.prepare(`${sum} AND repo = ?`).pluck().get(since, keyOf(repo)) as number;
    },
    async record(repo, at, purpose, usage) {
      write(db, () =>
        db
          .prepare(
            "INSERT INTO spending (repo, at, purpose, input_tokens, output_tokens, usd) VALUES (?, ?, ?, ?, ?, ?)",
          )
          .run(keyOf(repo), at, purpose, usage.inputTokens, usage.outputTokens, usage.usd),
      );
    },
  };
}

function keyOf({ host, id }: Pick<Repo, "host" | "id">): string {
  return `${host}/${id}`;
}
