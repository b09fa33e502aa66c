// Figures of the work for the dashboard. Only columns are counted, and JSON is read by us.
import type { LoggedRetrieval } from "../../domain/logged-retrieval.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { DayCount, DaySpending, WorkFigures } from "../../ports/dashboard.ts";
import { loggedRetrieval } from "../memory/retrieval-row.ts";
import { keptReview, type ReviewRow } from "../review-row.ts";
import type { Postgres } from "./sql.ts";

const DAY_MS = 86_400_000;
const REVIEW = 'SELECT key, review, written_at AS "writtenAt", settled_at AS "settledAt", outcome FROM reviews';
/** A key of a pull request begins with its repository's. Neither hosts nor numbers hold what LIKE reads as a sign. */
const OF_REPOSITORY = "($1::text IS NULL OR key LIKE $1 || '#%')";

/** Over an open database (see openPostgres). */
export function postgresWorkFigures(db: Postgres): WorkFigures {
  return {
    reviews: (of, { skip, most }) =>
      db.snapshot(async (sql) => {
        const total = await sql.one<{ count: number }>(`SELECT count(*) FROM reviews WHERE ${OF_REPOSITORY}`, [of]);
        const rows = await sql.all<ReviewRow>(
          `${REVIEW} WHERE ${OF_REPOSITORY} ORDER BY written_at DESC, key LIMIT $2 OFFSET $3`,
          [of, most, skip],
        );
        return { total: total?.count ?? 0, reviews: rows.map(keptReview) };
      }),
    async review(key, headSha) {
      const row = await db.one<ReviewRow>(
        `${REVIEW} WHERE key = $1 AND head_sha = $2 ORDER BY written_at DESC LIMIT 1`,
        [key, headSha],
      );
      return row === null ? null : keptReview(row);
    },
    reviewDays: (of, since) =>
      db.all<DayCount>(
        `SELECT written_at / ${DAY_MS} * ${DAY_MS} AS day, coalesce(outcome, 'not settled') COLLATE "C" AS name, count(*) AS count
         FROM reviews WHERE ${OF_REPOSITORY} AND written_at >= $2 GROUP BY 1, 2 ORDER BY 1, 2`,
        [of, since],
      ),
    reviewed: () =>
      db.all(
        `SELECT split_part(key, '#', 1) AS repo, count(*) AS reviews, count(*) FILTER (WHERE outcome = 'posted') AS posted,
           max(written_at) AS "lastAt"
         FROM reviews GROUP BY 1 ORDER BY 1`,
      ),
    retrievalBefore: (repo, pull, at) => retrievalBefore(db, repo, pull, at),
    async searchTimes(of, since, most) {
      const rows = await db.all<{ readonly at: number; readonly ms: number }>(
        `SELECT created_at AS at, retrieval_ms AS ms FROM retrievals
         WHERE searched = 1 AND created_at >= $2 AND ($1::text IS NULL OR repo = $1)
         ORDER BY created_at DESC LIMIT $3`,
        [of, since, most],
      );
      return rows.reverse();
    },
    spendingDays: (of, since) =>
      db.all<DaySpending>(
        `SELECT at / ${DAY_MS} * ${DAY_MS} AS day, purpose, count(*) AS questions, sum(input_tokens)::bigint AS "inputTokens",
           sum(output_tokens)::bigint AS "outputTokens", coalesce(sum(usd), 0) AS usd
         FROM spending WHERE at >= $2 AND ($1::text IS NULL OR repo = $1) GROUP BY 1, 2 ORDER BY 1, 2`,
        [of, since],
      ),
    jobCounts: () =>
      db.all("SELECT lane, state, count(*) AS count FROM jobs GROUP BY lane, state ORDER BY lane, state"),
  };
}

async function retrievalBefore(db: Postgres, repo: RepoKey, pull: number, at: number): Promise<LoggedRetrieval | null> {
  const row = await db.one<Readonly<Record<string, unknown>>>(
    `SELECT * FROM retrievals WHERE repo = $1 AND pull = $2 AND created_at <= $3 AND origin IN ('review', 'command-line')
     ORDER BY created_at DESC LIMIT 1`,
    [repo, pull, at],
  );
  return row === null ? null : loggedRetrieval(row);
}
