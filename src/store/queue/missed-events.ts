// Records of what was received and reviewed, for the missed-event sweep.
import { jobKey, type ReviewJob } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import { isReviewOf, type ReviewedAt } from "../../domain/review/review-history.ts";
import type { MissedEventStore, OpenPull, RefusedAgain } from "../../ports/missed-events.ts";
import { jsonRows } from "../dialect.ts";
import type { Database, Sql } from "../sql.ts";
import { insert, oneValue, upsert } from "../statement.ts";
import { storedMoments } from "./moments.ts";

/** Cancellations by `receive`, which may no longer apply. Cancellations by a person stay. */
const ENDS: ReadonlySet<string> = new Set(["closed", "converted to draft"]);
/** GitHub gives times in whole seconds. */
const SECOND_MS = 1_000;

/** Over an open database (see QUEUE_PART). Throws `Transient` when it cannot be asked now. */
export function storedMissedEvents(db: Database): MissedEventStore {
  const moments = storedMoments(db);
  return {
    async checkedAt() {
      const rows = await db.all<{ repo: string; at: number }>("SELECT repo, at FROM watched");
      return new Map(rows.map(({ repo, at }) => [repo, at]));
    },
    async firstRound(now) {
      await insert(db, "moments", { name: "first round", at: Math.floor(now) }, "ON CONFLICT DO NOTHING");
      return (await moments.at("first round")) ?? now;
    },
    lastRound: (installationId) => moments.at(`round ${installationId}`),
    round: (installationId, now) => moments.set(`round ${installationId}`, now),
    recordCheck: (repo, before, now) =>
      db.transaction(async (tx) => {
        const columns = { key: "text", head_sha: "text" } as const;
        await tx.run(
          `INSERT INTO old_heads (key, head_sha) SELECT x.key, x.head_sha FROM ${tx.dialect.rows("$1", columns)}
           WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.key = x.key AND lane = 'review') ON CONFLICT DO NOTHING`,
          [jsonRows(before.map(({ number, headSha }) => ({ key: jobKey(repo, number), head_sha: headSha })))],
        );
        await upsert(tx, "watched", ["repo"], { repo: repoKey(repo), at: now });
      }),
    owes: (repo, pull, refused) => owes(db, repo, pull, refused),
    async recovered(since) {
      // In JSON a quote inside a string is escaped, so the pattern matches only the field.
      const count = `SELECT count(*) FROM jobs WHERE lane = 'review' AND created_at >= $1 AND job LIKE '%"trigger":"missed"%'`;
      return (await oneValue<number>(db, count, [since])) ?? 0;
    },
  };
}

interface EndedJob {
  readonly job: string;
  readonly state: string;
  readonly outcome: string | null;
  readonly finishedAt: number | null;
  readonly endedForMs: number | null;
  readonly begunForMs: number | null;
}

async function owes(
  sql: Sql,
  repo: Parameters<MissedEventStore["owes"]>[0],
  { number, headSha, baseRef, updatedAt }: OpenPull,
  refused: RefusedAgain,
): Promise<boolean> {
  const key = jobKey(repo, number);
  const settled = await sql.one(
    `SELECT 1 AS settled FROM (SELECT 1 AS one) AS one WHERE
       EXISTS (SELECT 1 FROM jobs WHERE key = $1 AND lane = 'review' AND state IN ('waiting', 'running'))
       OR EXISTS (SELECT 1 FROM old_heads WHERE key = $1 AND head_sha = $2)`,
    [key, headSha],
  );
  if (settled !== null) return false;
  const latest = await sql.one<Omit<ReviewedAt, "fingerprint">>(
    `SELECT head_sha AS "headSha", base_ref AS "baseRef" FROM reviews
     WHERE key = $1 AND outcome IN ('posted', 'dry run') ORDER BY written DESC LIMIT 1`,
    [key],
  );
  // The configuration is not read for a sweep: a change of it alone is no missed event.
  const now = { headSha, baseRef, fingerprint: null };
  if (latest !== null && isReviewOf({ ...latest, fingerprint: null }, now)) return false;
  const ended = await sql.all<EndedJob>(
    `SELECT job, state, outcome, finished_at AS "finishedAt",
       ${sql.dialect.now} - finished_at AS "endedForMs", ${sql.dialect.now} - taken_at AS "begunForMs" FROM jobs
     WHERE key = $1 AND lane = 'review' AND state IN ('parked', 'cancelled', 'done')`,
    [key],
  );
  return !ended.some(
    (ended) =>
      (JSON.parse(ended.job) as ReviewJob).headSha === headSha && settles(ended, updatedAt + SECOND_MS, refused),
  );
}

/**
 * Settled by a parked job, a stop by a person, or a reason that is newer than the pull request's
 * last update: a draft, for example, may have become ready. A job parked for a suspended
 * installation does not count: the sweep skips those.
 */
function settles(ended: EndedJob, changedAt: number, refused: RefusedAgain): boolean {
  const { state, outcome, finishedAt, endedForMs, begunForMs } = ended;
  if (state === "parked") {
    if (/^(?:refused|unauthorised):/.test(outcome ?? ""))
      return (endedForMs ?? 0) < refused.endedForMs && (begunForMs ?? 0) < refused.begunForMs;
    return outcome?.startsWith("suspended:") !== true;
  }
  if (outcome === null) return false;
  if (state === "cancelled") return !ENDS.has(outcome);
  if (outcome.startsWith("stopped:")) return true;
  return outcome.startsWith("skipped:") && finishedAt !== null && finishedAt >= changedAt;
}
