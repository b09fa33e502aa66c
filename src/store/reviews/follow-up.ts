// When feedback is checked, progress of imports, and which reviews still introduce memory.

import { jobKey, type ReviewJob, upkeepKey } from "../../domain/job.ts";
import type { HistoryProgress } from "../../domain/memory/past-reviews.ts";
import { repoKey } from "../../domain/memory.ts";
import type { FeedbackStore } from "../../ports/feedback.ts";
import type { HistoryStore, Introductions } from "../../ports/history.ts";
import type { Database } from "../sql.ts";
import { oneValue, upsert } from "../statement.ts";

/** How long people react to a review. */
const YOUNG_MS = 30 * 24 * 60 * 60_000;

const LOOKED_AT = "CASE WHEN l.at > posted.at THEN l.at ELSE posted.at END";

/** Pull requests due for a feedback check, from the posted reviews. May throw `Transient`. */
export function storedFeedback(db: Database): FeedbackStore {
  return {
    async due(now, afterMs, most) {
      const rows = await db.all<{ job: string | null }>(
        `SELECT (SELECT job FROM jobs j WHERE j.key = posted.key AND j.lane = 'review' ORDER BY j.id DESC LIMIT 1) AS job
         FROM (SELECT key, max(settled_at) AS at FROM reviews WHERE outcome = 'posted' AND settled_at > $1 GROUP BY key) posted
         LEFT JOIN looks l ON l.key = posted.key
         WHERE ${LOOKED_AT} <= $2 AND (l.key IS NULL OR l.closed = 0 OR l.at < posted.at)
         ORDER BY ${LOOKED_AT}, posted.key LIMIT $3`,
        [now - YOUNG_MS, now - afterMs, most],
      );
      return rows.flatMap(({ job }) => {
        if (job === null) return [];
        const { installationId, repo, number } = JSON.parse(job) as ReviewJob;
        const key = upkeepKey(repo, "feedback", number);
        const from = { delivery: "sweep", trigger: "sweep", unresolved: null } as const;
        return [{ kind: "feedback", key, installationId, repo, number, ...from } as const];
      });
    },
    recordCheck: ({ repo, number }, now, isClosed) =>
      upsert(db, "looks", ["key"], { key: jobKey(repo, number), at: now, closed: isClosed }),
  };
}

/** Progress of imports of past reviews, which resume after a crash. */
export function storedHistory(db: Database): HistoryStore {
  return {
    async of(repo) {
      const progress = await oneValue<string>(db, "SELECT progress FROM history WHERE repo = $1", [repo]);
      return progress === null ? null : (JSON.parse(progress) as HistoryProgress);
    },
    save: (repo, progress) => upsert(db, "history", ["repo"], { repo, progress: JSON.stringify(progress) }),
  };
}

const FIRST = 3;

/** Introduces memory in a repository's first reviews, and while its history is being imported. */
export function storedIntroductions(db: Database): Introductions {
  /** Keys are `HOST/REPO_ID#NUMBER`; `$` is the character after `#`. */
  const posted = async (repo: Parameters<Introductions["of"]>[0]) => {
    const key = repoKey(repo);
    const count = "SELECT count(*) FROM reviews WHERE key >= $1 AND key < $2 AND outcome = 'posted'";
    return (await oneValue<number>(db, count, [`${key}#`, `${key}$`])) ?? 0;
  };
  return {
    isFirst: async (repo) => (await posted(repo)) === 0,
    async of(repo) {
      // A parked import does not count.
      const importing = "SELECT 1 AS one FROM jobs WHERE key = $1 AND state IN ('waiting', 'running')";
      if ((await db.one(importing, [upkeepKey(repo, "history")])) !== null) return "importing";
      return (await posted(repo)) < FIRST ? "first reviews" : null;
    },
  };
}
