// What models cost, a row a question, beside the queue: budgets of a month are held against it, and it outlives restarts.
import { repoKey } from "../../domain/memory.ts";
import type { SpendingBook } from "../../ports/model.ts";
import type { Postgres } from "./sql.ts";

/** The book over an open database (see BOOK_PART). Throws `Transient` when it cannot be asked. */
export function postgresSpending(db: Postgres): SpendingBook {
  return {
    async since(repo, since) {
      const sum = "SELECT coalesce(sum(usd), 0) AS usd FROM spending WHERE at >= $1";
      const row = await (repo === null
        ? db.one<{ usd: number }>(sum, [since])
        : db.one<{ usd: number }>(`${sum} AND repo = $2`, [since, repoKey(repo)]));
      return row?.usd ?? 0;
    },
    async record(repo, at, purpose, { inputTokens, outputTokens, usd }) {
      await db.run(
        "INSERT INTO spending (repo, at, purpose, input_tokens, output_tokens, usd) VALUES ($1, $2, $3, $4, $5, $6)",
        [repoKey(repo), at, purpose, inputTokens, outputTokens, usd],
      );
    },
  };
}
