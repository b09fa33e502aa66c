// Figures of the work for the dashboard, from the queue's file. Plain SQL: only columns are counted, and JSON is read by us.
import type { LoggedRetrieval } from "../../domain/logged-retrieval.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { DayCount, DaySpending, WorkFigures } from "../../ports/dashboard.ts";
import { loggedRetrieval } from "../memory/retrieval-row.ts";
import { keptReview, type ReviewRow } from "../review-row.ts";
import type { Database } from "./database.ts";

const DAY_MS = 86_400_000;

const REVIEW = "SELECT key, review, written_at AS writtenAt, settled_at AS settledAt, outcome FROM reviews";
/** A key of a pull request begins with its repository's. Neither hosts nor numbers hold what LIKE reads as a sign. */
const OF_REPOSITORY = "(@of IS NULL OR key LIKE @of || '#%')";

/** Over an open queue database (see QUEUE_MIGRATIONS). */
export function sqliteWorkFigures(db: Database.Database): WorkFigures {
  return {
    reviews: async (of, slice) => ({
      total: db.prepare(`SELECT count(*) FROM reviews WHERE ${OF_REPOSITORY}`).pluck().get({ of }) as number,
      reviews: (
        db
          .prepare(`${REVIEW} WHERE ${OF_REPOSITORY} ORDER BY written_at DESC, key LIMIT @most OFFSET @skip`)
          .all({ of, ...slice }) as ReviewRow[]
      ).map(keptReview),
    }),
    review: async (key, headSha) => {
      const row = db
        .prepare(`${REVIEW} WHERE key = ? AND head_sha = ? ORDER BY written_at DESC LIMIT 1`)
        .get(key, headSha) as ReviewRow | undefined;
      return row === undefined ? null : keptReview(row);
    },
    reviewDays: async (of, since) =>
      db
        .prepare(
          `SELECT written_at / ${DAY_MS} * ${DAY_MS} AS day, coalesce(outcome, 'not settled') AS name, count(*) AS count
           FROM reviews WHERE written_at >= @since AND ${OF_REPOSITORY} GROUP BY 1, 2 ORDER BY 1, 2`,
        )
        .all({ of, since }) as DayCount[],
    reviewed: async () => reviewedRepositories(db),
    retrievalBefore: async (repo, pull, at) => retrievalBefore(db, repo, pull, at),
    searchTimes: async (of, since, most) =>
      (
        db
          .prepare(
            `SELECT created_at AS at, retrieval_ms AS ms FROM retrievals
             WHERE searched = 1 AND created_at >= @since AND (@of IS NULL OR repo = @of)
             ORDER BY created_at DESC LIMIT @most`,
          )
          .all({ of, since, most }) as { at: number; ms: number }[]
      ).reverse(),
    spendingDays: async (of, since) =>
      db
        .prepare(
          `SELECT at / ${DAY_MS} * ${DAY_MS} AS day, purpose, count(*) AS questions, sum(input_tokens) AS inputTokens,
             sum(output_tokens) AS outputTokens, coalesce(sum(usd), 0) AS usd
           FROM spending WHERE at >= @since AND (@of IS NULL OR repo = @of) GROUP BY 1, 2 ORDER BY 1, 2`,
        )
        .all({ of, since }) as DaySpending[],
    jobCounts: async () =>
      db
        .prepare("SELECT lane, state, count(*) AS count FROM jobs GROUP BY lane, state ORDER BY lane, state")
        .all() as Awaited<ReturnType<WorkFigures["jobCounts"]>>,
  };
}

function reviewedRepositories(db: Database.Database): Awaited<ReturnType<WorkFigures["reviewed"]>> {
  return db
    .prepare(
      `SELECT substr(key, 1, instr(key, '#') - 1) AS repo, count(*) AS reviews,
         sum(CASE WHEN outcome = 'posted' THEN 1 ELSE 0 END) AS posted, max(written_at) AS lastAt
       FROM reviews GROUP BY 1 ORDER BY 1`,
    )
    .all() as Awaited<ReturnType<WorkFigures["reviewed"]>>;
}

function retrievalBefore(db: Database.Database, repo: RepoKey, pull: number, at: number): LoggedRetrieval | null {
  const row = db
    .prepare(
      `SELECT * FROM retrievals WHERE repo = ? AND pull = ? AND created_at <= ? AND origin IN ('review', 'command-line')
       ORDER BY created_at DESC LIMIT 1`,
    )
    .get(repo, pull, at);
  return row === undefined ? null : loggedRetrieval(row);
}
