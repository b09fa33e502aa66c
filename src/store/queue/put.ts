// Adds jobs to the queue: each replaces a waiting job of its key, and gets its repository's turn. These turns order the repositories
// of one account; accounts take turns when jobs are leased (see job-lane.ts).

import { repoKey } from "../../domain/memory.ts";
import type { AnyJob, LaneName } from "../../ports.ts";
import { jsonRows } from "../dialect.ts";
import type { Sql } from "../sql.ts";
import { announce } from "./coordination.ts";

/** A job to add. */
export interface ComingJob {
  readonly lane: LaneName;
  readonly job: AnyJob;
  /** The current time on the clock that set the job's `notBefore`. */
  readonly at: number;
  /** What supersedes a waiting job of the key: a head, or a delivery. */
  readonly by: string;
}

/** Turns before all others, which start at 0: suspects (see poison-job-policy.ts), and interrupted jobs. */
export const SUSPECT_TURN = -2;
export const INTERRUPTED_TURN = -1;

/** The queue's state for a new job. */
interface Place {
  readonly now: number;
  /** The turn of the waiting job that it replaces; null when none waits. */
  readonly waitingTurn: number | null;
  /** Since when an unstarted review of this pull request waits. */
  readonly since: number | null;
  /** The next free turn of its repository. */
  readonly nextTurn: number;
}

interface TurnRow {
  /** The latest served turn of the account's repositories in the lane. */
  readonly served: number | null;
  /** The repository's last served turn. */
  readonly last: number | null;
  /** The last turn of its waiting and running jobs. */
  readonly newest: number | null;
}

/**
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996): a repository's next turn follows its last one, and is not before the current
 * one. So each repository is served once before any is served twice, regardless of its number of jobs.
 */
function nextTurn({ served, last, newest }: TurnRow): number {
  return Math.max(served ?? 0, (last ?? -1) + 1, (newest ?? -1) + 1);
}

/** The columns of TurnRow; `lane`, `repo` and `account` are SQL. */
const turnColumns = (lane: string, repo: string, account: string) => `
  (SELECT max(turn) FROM turns WHERE turns.lane = ${lane} AND turns.account = ${account}) AS served,
  (SELECT turn FROM turns WHERE turns.lane = ${lane} AND turns.repo = ${repo}) AS last,
  (SELECT max(turn) FROM jobs AS own
    WHERE own.lane = ${lane} AND own.repo = ${repo} AND own.state IN ('waiting', 'running')) AS newest`;

/** The turn for a requeued job of the repository. */
export async function turnAgain(
  tx: Sql,
  { lane, repo, account }: { readonly lane: string; readonly repo: string; readonly account: string },
): Promise<number> {
  const columns = turnColumns("CAST($1 AS text)", "CAST($2 AS text)", "CAST($3 AS text)");
  const row = await tx.one<TurnRow>(`SELECT ${columns}`, [lane, repo, account]);
  return nextTurn(row ?? { served: null, last: null, newest: null });
}

/** The jobs with the queue's state for each, in order. */
async function placed(tx: Sql, jobs: readonly ComingJob[]): Promise<readonly (ComingJob & Place)[]> {
  const given = jobs.map((one, at) => ({ at, ...placeOf(one) }));
  const rows = await tx.all<Omit<Place, "nextTurn"> & TurnRow>(
    `SELECT ${tx.dialect.now} AS now, own.turn AS "waitingTurn",
       CASE WHEN own.attempt = 0 THEN own.created_at END AS since, ${turnColumns("x.lane", "x.repo", "x.account")}
     FROM ${tx.dialect.rows("$1", { at: "int", lane: "text", key: "text", repo: "text", account: "text" })}
     LEFT JOIN jobs AS own ON own.key = x.key AND own.state = 'waiting' ORDER BY x.at`,
    [jsonRows(given)],
  );
  return jobs.map((job, at) => {
    const row = rows[at];
    if (row === undefined) throw new Error("the database has no place for a job");
    return { ...job, ...row, nextTurn: nextTurn(row) };
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
  turn: "int",
  created_at: "int",
} as const;

/**
 * Adds jobs; each replaces a waiting job of its key. Their keys must be locked (see lockKeys) and distinct. It adds all in a few
 * statements, because an installation on thousands of repositories is one delivery.
 */
export async function putJobs(tx: Sql, jobs: readonly ComingJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const coming = await placed(tx, jobs);
  const turns = turnsOf(coming);
  const rows = coming.map((one, index) => ({
    at: index,
    ...placeOf(one),
    job: JSON.stringify(one.job),
    installation_id: one.job.installationId,
    turn: turns[index],
    ...jobTimes(one),
  }));
  for (const { job, by, waitingTurn } of coming)
    if (waitingTurn !== null) await cancel(tx, job.key, "superseded", `superseded by ${by}`);
  const columns = Object.keys(COLUMNS).join(", ");
  const source = tx.dialect.rows("$1", { at: "int", ...COLUMNS });
  const text = `INSERT INTO jobs (state, ${columns}) SELECT 'waiting', ${columns} FROM ${source} ORDER BY x.at`;
  const lanes = jobs.map(({ lane }) => lane);
  // Concurrently: one round trip to a server.
  await Promise.all([tx.run(text, [jsonRows(rows)]), announce(tx, lanes)]);
}

/** Jobs added together do not see each other, so each further one of a repository gets the next turn. */
function turnsOf(coming: readonly (ComingJob & Place)[]): readonly number[] {
  const before = new Map<string, number>();
  return coming.map(({ lane, job, waitingTurn, nextTurn: next }) => {
    // It inherits the place of an interrupted job, but not of a suspect: the crashes may have been that job's own.
    if (waitingTurn !== null) return Math.max(waitingTurn, INTERRUPTED_TURN);
    const line = `${lane} ${repoKey(job.repo)}`;
    const ahead = before.get(line) ?? 0;
    before.set(line, ahead + 1);
    return next + ahead;
  });
}

function placeOf({ lane, job: { key, repo } }: ComingJob) {
  return { lane, key, repo: repoKey(repo), account: `${repo.host}/${repo.ownerId}` };
}

/** Ends the waiting jobs of a key; returns how many. The key must be locked. */
export function cancel(tx: Sql, key: string, state: "superseded" | "cancelled", why: string): Promise<number> {
  return tx.run(
    `UPDATE jobs SET state = $2, finished_at = ${tx.dialect.now}, outcome = $3 WHERE key = $1 AND state = 'waiting'`,
    [key, state, why],
  );
}

/** Limits the debouncing of continuous pushes: the first one waits at most so many times the wait. */
const MOST_WAITS = 6;

/**
 * When a job is due, and since when its pull request waits for a review (for other jobs the due time), by the queue's clock.
 * The delay is computed on the clock that set `notBefore` and added to the queue's, because the two may differ.
 */
function jobTimes({ job, at, now, since: first }: ComingJob & Place) {
  const notBefore = "notBefore" in job ? job.notBefore : undefined;
  const wait = Math.max(0, Math.ceil(notBefore ?? at) - at);
  if (job.kind !== "review") return { run_at: now + wait, created_at: now + wait };
  const since = first ?? now;
  return { run_at: Math.max(now, Math.min(now + wait, since + MOST_WAITS * wait)), created_at: since };
}
