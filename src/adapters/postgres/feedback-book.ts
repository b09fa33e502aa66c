// Which pull requests are to be looked at for what people did about our findings, from the reviews that were posted.
import { feedbackKey, jobKey, type ReviewJob } from "../../domain/job.ts";
import type { FeedbackBook } from "../../ports/feedback.ts";
import type { Postgres } from "./sql.ts";

/** How long people take up what a review said. */
const YOUNG_MS = 30 * 24 * 60 * 60_000;

const DUE = `SELECT
    (SELECT job FROM jobs j WHERE j.key = posted.key AND j.lane = 'review' ORDER BY j.id DESC LIMIT 1) AS job
  FROM (SELECT key, max(settled_at) AS at FROM reviews WHERE outcome = 'posted' AND settled_at > $1 GROUP BY key) posted
  LEFT JOIN looks l ON l.key = posted.key
  WHERE greatest(posted.at, coalesce(l.at, 0)) <= $2 AND (l.key IS NULL OR NOT l.closed OR l.at < posted.at)
  ORDER BY greatest(posted.at, coalesce(l.at, 0)), posted.key LIMIT $3`;

/** The book over an open database (see BOOK_PART). Throws `Transient` when it cannot be asked. */
export function postgresFeedbackBook(db: Postgres): FeedbackBook {
  return {
    async due(now, afterMs, most) {
      const rows = await db.all<{ job: string | null }>(DUE, [now - YOUNG_MS, now - afterMs, most]);
      return rows.flatMap(({ job }) => {
        if (job === null) return [];
        const { installationId, repo, number } = JSON.parse(job) as ReviewJob;
        const key = feedbackKey(repo, number);
        return [{ kind: "feedback", key, delivery: "sweep", installationId, repo, number, trigger: "sweep" } as const];
      });
    },
    async looked({ repo, number }, now, isClosed) {
      await db.run(
        `INSERT INTO looks (key, at, closed) VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET at = excluded.at, closed = excluded.closed`,
        [jobKey(repo, number), now, isClosed],
      );
    },
  };
}
