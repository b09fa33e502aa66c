// Which pull requests are to be looked at for what people did about our findings, from the reviews that were posted.
import type { Database } from "better-sqlite3";
import { feedbackKey, jobKey, type ReviewJob } from "../../domain/job.ts";
import type { FeedbackBook } from "../../ports/feedback.ts";
import { write } from "./database.ts";

/** How long people take up what a review said. */
const YOUNG_MS = 30 * 24 * 60 * 60_000;

/** The book over an open queue database (see QUEUE_MIGRATIONS). `looked` throws `Transient` on a lock. */
export function sqliteFeedbackBook(db: Database): FeedbackBook {
  return {
    async due(now, afterMs, most) {
      const rows = db
        .prepare(
          `SELECT posted.key, max(posted.at, coalesce(l.at, 0)) AS since,
             (SELECT job FROM jobs j WHERE j.key = posted.key AND j.lane = 'review' ORDER BY j.id DESC LIMIT 1) AS job
           FROM (SELECT key, max(settled_at) AS at FROM reviews
                 WHERE outcome = 'posted' AND settled_at > @young GROUP BY key) posted
           LEFT JOIN looks l ON l.key = posted.key
           WHERE max(posted.at, coalesce(l.at, 0)) <= @due AND (l.key IS NULL OR l.closed = 0 OR l.at < posted.at)
           ORDER BY since, posted.key LIMIT @most`,
        )
        .all({ young: now - YOUNG_MS, due: now - afterMs, most }) as { readonly job: string | null }[];
      return rows.flatMap(({ job }) => {
        if (job === null) return [];
        const { installationId, repo, number } = JSON.parse(job) as ReviewJob;
        const key = feedbackKey(repo, number);
        return [{ kind: "feedback", key, delivery: "sweep", installationId, repo, number, trigger: "sweep" } as const];
      });
    },
    async looked({ repo, number }, now, isClosed) {
      write(db, () =>
        db
          .prepare(
            `INSERT INTO looks (key, at, closed) VALUES (?, ?, ?)
             ON CONFLICT (key) DO UPDATE SET at = excluded.at, closed = excluded.closed`,
          )
          .run(jobKey(repo, number), now, isClosed ? 1 : 0),
      );
    },
  };
}
