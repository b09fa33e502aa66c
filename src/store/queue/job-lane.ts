// One lane of the queue: selects, leases and ends jobs.

import { failPoint } from "../../adapters/fail-point.ts";
import type { AnyJob, JobEnd, Lane, LaneName, Lease, LeaseLimits } from "../../ports.ts";
import type { Database, Sql } from "../sql.ts";
import { oneValue } from "../statement.ts";
import { lockKeys, lockLane } from "./coordination.ts";
import { isHeld } from "./lease-fence.ts";
import { readJob } from "./read-job.ts";

export interface WorkingProcess {
  readonly instance: string;
  readonly process: string | null;
  /** Jobs that this process knows it holds. */
  readonly held: Set<number>;
}

/** Maximum delay of a job, even if a clock jumped: GitHub's rate limits last at most an hour. */
export const LONGEST_WAIT_MS = 65 * 60_000;

/** The lane over an open database. Throws `Transient` when the database cannot be asked now. */
export function storedLane<Taken extends AnyJob>(db: Database, lane: LaneName, worker: WorkingProcess): Lane<Taken> {
  return {
    async lease(limits) {
      failPoint("before-lease");
      const search = { lane, worker, limits: limits ?? NO_LIMITS };
      let taken: Lease<Taken> | null = null;
      // First without a lock: most polls find nothing. A found job may be superseded before its
      // lease.
      while (taken === null && (await next(db, search)) !== null)
        taken = await db.transaction((tx) => take<Taken>(tx, search));
      if (taken !== null) worker.held.add(taken.id);
      failPoint("after-lease");
      return taken;
    },
    async end(lease, end) {
      failPoint("before-end");
      const recorded = await db.transaction((tx) => finish(tx, lease, end));
      worker.held.delete(lease.id);
      failPoint("after-end");
      return recorded;
    },
    async leaseState(lease) {
      if (!(await isHeld(db, lease))) return "lost";
      return (await isReplaced(db, lease.job)) ? "superseded" : "held";
    },
  };
}

/** A later event about one head (a label, a title) waits for its review; a request does not. */
async function isReplaced(db: Database, job: AnyJob): Promise<boolean> {
  const waiting = await oneValue<string>(db, "SELECT job FROM jobs WHERE key = $1 AND state = 'waiting'", [job.key]);
  if (waiting === null) return false;
  const later = readJob(waiting);
  return job.kind !== "review" || later.kind !== "review" || later.explicit || later.headSha !== job.headSha;
}

const NO_LIMITS: LeaseLimits = { ofRepository: Number.MAX_SAFE_INTEGER, hasCapacity: true };

type Search = { readonly lane: LaneName; readonly worker: WorkingProcess; readonly limits: LeaseLimits };

interface Found {
  readonly id: number;
  readonly job: string;
  readonly account: string;
  readonly runAt: number;
  readonly closedUntil: number | null;
  readonly now: number;
}

/** Due, within the limits, no job of its key runs, and its installation is not rate-limited. */
const MAY_RUN = `state = 'waiting' AND lane = $1 AND large <= CAST($2 AS bigint)
    AND repo NOT IN (SELECT held.repo FROM jobs AS held WHERE held.state = 'running' AND held.owner = $3 AND held.lane = $1
      GROUP BY held.repo HAVING count(*) >= CAST($4 AS bigint))
    AND key NOT IN (SELECT key FROM jobs AS busy WHERE busy.state = 'running')
    AND run_at <= CAST($5 AS bigint)
    AND coalesce(installation_id, 0) NOT IN (SELECT id FROM installations WHERE closed_until > CAST($5 AS bigint))`;

/**
 * The job due longest, of the account served longest ago: an account with many jobs waits as long
 * for its next one as one with a single job. Reads the accounts with waiting jobs from the index
 * one by one, and the first job of each.
 */
const NEXT = `WITH RECURSIVE accounts (account) AS (
    SELECT (SELECT min(account) FROM jobs WHERE state = 'waiting' AND lane = $1)
    UNION ALL
    SELECT (SELECT min(later.account) FROM jobs AS later
      WHERE later.state = 'waiting' AND later.lane = $1 AND later.account > accounts.account)
    FROM accounts WHERE accounts.account IS NOT NULL),
  firsts AS MATERIALIZED (
    SELECT (SELECT id FROM jobs AS own WHERE own.account = accounts.account AND ${MAY_RUN}
        ORDER BY run_at, id LIMIT 1) AS id,
      coalesce(last.turn, 0) AS turn
    FROM accounts LEFT JOIN account_turns AS last ON last.lane = $1 AND last.account = accounts.account)
  SELECT id, job, account, run_at AS "runAt",
    (SELECT closed_until FROM installations WHERE installations.id = jobs.installation_id) AS "closedUntil"
  FROM jobs WHERE state = 'waiting' AND id =
    (SELECT firsts.id FROM firsts WHERE firsts.id IS NOT NULL ORDER BY firsts.turn, firsts.id LIMIT 1)`;

async function next(sql: Sql, { lane, worker, limits }: Search, lock = ""): Promise<Found | null> {
  const now = await oneValue<number>(sql, `SELECT ${sql.dialect.now}`);
  if (now === null) throw new Error("the database has no time");
  const given = [lane, limits.hasCapacity ? 1 : 0, worker.instance, limits.ofRepository, now];
  const found = await sql.one<Omit<Found, "now">>(NEXT + lock, given);
  return found === null ? null : { ...found, now };
}

async function take<Taken extends AnyJob>(tx: Sql, search: Search): Promise<Lease<Taken> | null> {
  const { lane, worker } = search;
  await lockLane(tx, lane);
  const found = await next(tx, search, tx.dialect.forUpdate);
  if (found === null) return null;
  const { id, job, account, runAt, closedUntil, now } = found;
  // Registers the process before it holds a job, also after it was taken for dead.
  await tx.run("INSERT INTO instances (id, process, beats) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING", [
    worker.instance,
    worker.process,
  ]);
  const taken = await tx.one<Pick<Lease, "attempt" | "token" | "overruns">>(
    `UPDATE jobs SET state = 'running', attempt = attempt + 1, token = token + 1, owner = $2, taken_at = $3
     WHERE id = $1 RETURNING attempt, token, overruns`,
    [id, worker.instance, now],
  );
  if (taken === null) throw new Error("a job vanished while it was taken");
  await tx.run(
    `INSERT INTO account_turns (lane, account, turn)
     VALUES ($1, $2, (SELECT coalesce(max(turn), 0) + 1 FROM account_turns WHERE lane = $1))
     ON CONFLICT (lane, account) DO UPDATE SET turn = excluded.turn`,
    [lane, account],
  );
  const since = Math.max(runAt, closedUntil ?? 0);
  return { id, job: readJob<Taken>(job), ...taken, waitedMs: Math.max(0, now - since) };
}

async function finish(tx: Sql, { id, token, job: { key } }: Lease<AnyJob>, end: JobEnd): Promise<boolean> {
  await lockKeys(tx, [key]);
  const isOurs = `SELECT 1 AS ours FROM jobs WHERE id = $1 AND token = $2 AND state = 'running'${tx.dialect.forUpdate}`;
  if ((await tx.one(isOurs, [id, token])) === null) return false;
  const isSuperseded = await hasWaiting(tx, key);
  if (end.state === "done" || end.state === "parked")
    await close(tx, id, end.state, end.state === "done" ? end.outcome : end.reason);
  // A retry is pointless when a later job of the key waits.
  else if (isSuperseded) await close(tx, id, "superseded", end.reason);
  else if (end.state === "at-capacity") {
    // It keeps its place. It made no progress, so its crash counter stays.
    await tx.run(
      "UPDATE jobs SET state = 'waiting', owner = NULL, attempt = attempt - 1, large = 1, outcome = $2 WHERE id = $1",
      [id, end.reason],
    );
  } else {
    const inMs = Math.ceil(Math.min(Math.max(0, end.inMs), LONGEST_WAIT_MS));
    await tx.run(
      `UPDATE jobs SET state = 'waiting', owner = NULL, run_at = ${tx.dialect.now} + CAST($2 AS bigint), deaths = 0, outcome = $3
       WHERE id = $1`,
      [id, inMs, end.reason],
    );
  }
  return true;
}

/** Ends a running job. */
export async function close(tx: Sql, id: number, state: "done" | "parked" | "superseded", why: string): Promise<void> {
  await tx.run(
    `UPDATE jobs SET state = $2, owner = NULL, outcome = $3, finished_at = ${tx.dialect.now} WHERE id = $1`,
    [id, state, why],
  );
}

export async function hasWaiting(sql: Sql, key: string): Promise<boolean> {
  return (await sql.one("SELECT 1 AS waits FROM jobs WHERE key = $1 AND state = 'waiting'", [key])) !== null;
}
