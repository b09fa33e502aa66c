// Adds jobs to the queue: each replaces a waiting job of its key.

import { repoKey } from "../../domain/memory.ts";
import type { AnyJob, LaneName } from "../../ports.ts";
import { jsonRows } from "../dialect.ts";
import type { Sql } from "../sql.ts";
import { readJob } from "./read-job.ts";

export interface ComingJob {
  readonly lane: LaneName;
  readonly job: AnyJob;
  /** The current time on the clock that set the job's `notBefore`. */
  readonly at: number;
  /** What supersedes a waiting job of the key: a head, or a delivery. */
  readonly by: string;
}

export function comingJob(job: AnyJob, at: number): ComingJob {
  if (job.kind === "review") return { lane: "review", job, at, by: job.headSha };
  return { lane: job.kind === "command" ? "command" : "upkeep", job, at, by: job.delivery };
}

interface Place {
  readonly now: number;
  /** When the waiting job that it replaces is due; null when none waits. */
  readonly waitingRunAt: number | null;
  /** Since when an unstarted review of this pull request waits. */
  readonly since: number | null;
  readonly waiting: string | null;
}

async function placed(tx: Sql, jobs: readonly ComingJob[]): Promise<readonly (ComingJob & Place)[]> {
  const given = jobs.map(({ job: { key } }, at) => ({ at, key }));
  // By key alone: as a join, or by an index of what waits, PostgreSQL reads all of a burst that
  // came after its last statistics.
  const own = (value: string) => `(SELECT ${value} FROM jobs WHERE key = x.key AND state || '' = 'waiting')`;
  const rows = await tx.all<Place>(
    `SELECT ${tx.dialect.now} AS now, ${own("run_at")} AS "waitingRunAt", ${own("job")} AS waiting,
       ${own("CASE WHEN attempt = 0 THEN created_at END")} AS since
     FROM ${tx.dialect.rows("$1", { at: "int", key: "text" })} ORDER BY x.at`,
    [jsonRows(given)],
  );
  return jobs.map((job, at) => {
    const row = rows[at];
    if (row === undefined) throw new Error("the database has no place for a job");
    return { ...job, ...row };
  });
}

const COLUMNS = {
  key: "text",
  lane: "text",
  job: "text",
  repo: "text",
  account: "text",
  installation_id: "int",
  run_at: "int",
  created_at: "int",
} as const;

/**
 * Adds jobs; each replaces a waiting job of its key. Keys must be locked (lockKeys) and distinct. A
 * few statements add all: an installation on thousands of repositories is one delivery.
 */
export async function putJobs(tx: Sql, jobs: readonly ComingJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const coming = await placed(tx, jobs);
  const rows = coming.map((one, index) => ({
    at: index,
    lane: one.lane,
    key: one.job.key,
    repo: repoKey(one.job.repo),
    account: `${one.job.repo.host}/${one.job.repo.ownerId}`,
    job: JSON.stringify(withRequest(one)),
    installation_id: one.job.installationId,
    ...jobTimes(one),
  }));
  for (const { job, by, waitingRunAt } of coming)
    if (waitingRunAt !== null) await cancel(tx, job.key, "superseded", `superseded by ${by}`);
  const columns = Object.keys(COLUMNS).join(", ");
  const source = tx.dialect.rows("$1", { at: "int", ...COLUMNS });
  const text = `INSERT INTO jobs (state, ${columns}) SELECT 'waiting', ${columns} FROM ${source} ORDER BY x.at`;
  await tx.run(text, [jsonRows(rows)]);
}

/** A request for a waiting head stays when an ordinary event about the same head follows. */
function withRequest({ job, waiting }: ComingJob & Place): AnyJob {
  if (job.kind !== "review" || job.explicit || waiting === null) return job;
  const before = readJob(waiting);
  const isSame = before.kind === "review" && before.explicit && before.headSha === job.headSha;
  return isSame ? { ...before, delivery: job.delivery } : job;
}

/** Ends the waiting jobs of a key; returns how many. The key must be locked. */
export function cancel(tx: Sql, key: string, state: "superseded" | "cancelled", why: string): Promise<number> {
  return tx.run(
    `UPDATE jobs SET state = $2, finished_at = ${tx.dialect.now}, outcome = $3 WHERE key = $1 AND state = 'waiting'`,
    [key, state, why],
  );
}

/** Continuous pushes: the first one waits at most so many times the wait. */
const MOST_WAITS = 6;

/**
 * When a job is due, and since when its pull request waits for a review (for other jobs the due
 * time), by the queue's clock. The delay is of the clock that set `notBefore`, which may differ.
 */
function jobTimes({ job, at, now, waitingRunAt, since: first }: ComingJob & Place) {
  const notBefore = "notBefore" in job ? job.notBefore : null;
  const wait = Math.max(0, Math.ceil(notBefore ?? at) - at);
  if (job.kind !== "review") return { run_at: now + wait, created_at: now + wait };
  const since = first ?? now;
  // What replaces a job that is due keeps its place.
  const soonest = Math.min(waitingRunAt ?? now, now);
  return { run_at: Math.max(soonest, Math.min(now + wait, since + MOST_WAITS * wait)), created_at: since };
}
