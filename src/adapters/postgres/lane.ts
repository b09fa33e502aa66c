// One lane of the queue: pg-boss says whose turn it is, the ledger whether it may be taken, who holds it, and how it ends.
import type { AnyJob, JobEnd, Lane, LaneName, Lease } from "../../ports.ts";
import { failPoint } from "../fail-point.ts";
import { isHeld } from "./hold.ts";
import { issueTo, lockKeys, nextTag } from "./put-job.ts";
import type { Postgres, Sql } from "./sql.ts";
import type { Ticket, Tickets } from "./tickets.ts";

export interface LaneOptions {
  readonly instance: string;
  /** See processMark. */
  readonly process: string | null;
  /** The caller's clock, in epoch milliseconds. */
  readonly now: () => number;
  /** Jobs that this process knows it holds. */
  readonly held: Set<number>;
}

/** Nobody waits longer than this, whatever clocks did: an hour is the longest that a limit of GitHub lasts. */
export const LONGEST_WAIT_MS = 65 * 60_000;
/** Tickets that are put back for one lease: those of an installation that is left alone come all at once. */
const MOST_LOOKS = 40;

/** The lane over an open database. Throws `Transient` when the database cannot be asked. */
export function lane<Taken extends AnyJob>(
  db: Postgres,
  tickets: Tickets,
  name: LaneName,
  options: LaneOptions,
): Lane<Taken> {
  return {
    async lease() {
      failPoint("before-lease");
      // Looking takes no lock: most looks find nothing.
      if ((await db.one(DUE, [name])) === null) return null;
      const taken = await db.transaction((sql) => take<Taken>(sql, tickets, name, options));
      if (taken !== null) options.held.add(taken.id);
      failPoint("after-lease");
      return taken;
    },
    async end(held, now, end) {
      failPoint("before-end");
      const recorded = await db.transaction(async (sql) => {
        await lockKeys(sql, [held.job.key]);
        return finish(sql, tickets, held, end.state === "retry" ? { ...end, at: end.at - now } : end);
      });
      options.held.delete(held.id);
      failPoint("after-end");
      return recorded;
    },
    holds: (held) => isHeld(db, held),
    async nextAt() {
      const next = await db.one<{ at: number | null; now: number }>(NEXT_AT, [name]);
      return next === null || next.at === null ? null : next.at - next.now + options.now();
    },
    isOvertaken: ({ job }) => isOvertaken(db, job.key),
  };
}

/** What waits behind a running job of its key is looked at when that one ends. */
const FREE = `state = 'waiting' AND lane = $1
  AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = jobs.key AND busy.state = 'running')`;
const CLOSED = "coalesce((SELECT closed_until FROM installations WHERE id = jobs.installation_id), 0)";
const DUE = `SELECT 1 FROM jobs WHERE ${FREE} AND run_at <= queue_now() AND ${CLOSED} <= queue_now() LIMIT 1`;
/** Without a look at each job of a long queue: the first that is not kept, and the first of those that are. */
const NEXT_AT = `SELECT queue_now() AS now, least(
    (SELECT run_at FROM jobs WHERE ${FREE} AND ${CLOSED} <= queue_now() ORDER BY run_at LIMIT 1),
    (SELECT min(greatest(run_at, closed_until)) FROM installations JOIN jobs ON jobs.installation_id = installations.id
      WHERE closed_until > queue_now() AND ${FREE})) AS at`;

async function take<Taken extends AnyJob>(
  sql: Sql,
  tickets: Tickets,
  name: LaneName,
  options: LaneOptions,
): Promise<Lease<Taken> | null> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const ticket = await tickets.next(sql, name);
    if (ticket === null) return null;
    const taken = await takeBy<Taken>(sql, tickets, name, ticket, options);
    if (taken !== null) return taken;
  }
  return null;
}

interface Found {
  readonly id: number;
  readonly job: string;
  readonly repo: string;
  readonly tag: number;
  readonly mayRunAt: number;
  readonly now: number;
  readonly isBusy: boolean;
}

const WAITING = `SELECT id, job, repo, tag, greatest(run_at, ${CLOSED}) AS "mayRunAt", queue_now() AS now,
    EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = $1 AND busy.state = 'running') AS "isBusy"
  FROM jobs WHERE key = $1 AND state = 'waiting' FOR UPDATE OF jobs`;

/** Whoever holds a job is known, also one that was taken for dead; and its repository was served. */
const TAKE = `WITH known AS (
    INSERT INTO instances (id, process, beats) VALUES ($3, $4, 0) ON CONFLICT DO NOTHING
  ), served AS (
    INSERT INTO turns (lane, repo, tag) SELECT lane, repo, tag FROM jobs WHERE id = $1
    ON CONFLICT (lane, repo) DO UPDATE SET tag = greatest(turns.tag, excluded.tag)
  )
  UPDATE jobs SET state = 'running', attempt = attempt + 1, token = token + 1, owner = $3, ticket = $2, taken_at = queue_now()
  WHERE id = $1 RETURNING attempt, token`;

/** The job that a ticket is for; null when none may run now, and then the ticket is put back or has done its duty. */
async function takeBy<Taken extends AnyJob>(
  sql: Sql,
  tickets: Tickets,
  lane: LaneName,
  { id: ticket, key }: Ticket,
  { instance, process: mark }: LaneOptions,
): Promise<Lease<Taken> | null> {
  const found = await sql.one<Found>(WAITING, [key]);
  const mayRun = found !== null && !found.isBusy && found.mayRunAt <= found.now;
  if (!mayRun) {
    await tickets.done(sql, lane, ticket);
    if (found === null) return null;
    // Behind one that runs it gets a ticket when that one ends.
    const { id, repo, tag, mayRunAt: runAt } = found;
    const next = found.isBusy ? null : await tickets.issue(sql, { lane, key, repo, runAt, tag });
    await sql.run("UPDATE jobs SET ticket = $2 WHERE id = $1", [id, next]);
    return null;
  }
  const row = await sql.one<Pick<Lease, "attempt" | "token">>(TAKE, [found.id, ticket, instance, mark]);
  if (row === null) throw new Error("a job vanished while it was taken");
  return {
    id: found.id,
    job: JSON.parse(found.job) as Taken,
    ...row,
    waitedMs: Math.max(0, Math.round(found.now - found.mayRunAt)),
  };
}

async function isOvertaken(sql: Sql, key: string): Promise<boolean> {
  return (await sql.one("SELECT 1 FROM jobs WHERE key = $1 AND state = 'waiting'", [key])) !== null;
}

interface Running {
  readonly id: number;
  readonly key: string;
  readonly lane: LaneName;
  readonly ticket: string | null;
}

const RUNNING = `SELECT id, key, lane, ticket FROM jobs WHERE id = $1 AND token = $2 AND state = 'running' FOR UPDATE`;

/** `end.at` is from now on. The key must be locked. */
async function finish(sql: Sql, tickets: Tickets, held: Lease<AnyJob>, end: JobEnd): Promise<boolean> {
  const running = await sql.one<Running>(RUNNING, [held.id, held.token]);
  if (running === null) return false;
  if (end.state !== "retry") await close(sql, held.id, end.state, end.state === "done" ? end.outcome : end.reason);
  // A later job of the same key that waits makes this retry pointless.
  else if (await isOvertaken(sql, running.key)) await close(sql, held.id, "superseded", end.reason);
  else await waitAgain(sql, held.id, Math.ceil(Math.min(end.at, LONGEST_WAIT_MS)), 0, end.reason);
  await handOn(sql, tickets, running);
  return true;
}

/** Ends a job. */
export async function close(sql: Sql, id: number, state: "done" | "dead" | "superseded", why: string): Promise<void> {
  await sql.run(
    "UPDATE jobs SET state = $2, owner = NULL, ticket = NULL, outcome = $3, finished_at = queue_now() WHERE id = $1",
    [id, state, why],
  );
}

/** Has a job wait again, at the end of its repository's turns. A reason of null leaves the last. */
export async function waitAgain(
  sql: Sql,
  id: number,
  inMs: number,
  deaths: number,
  reason: string | null,
): Promise<void> {
  await sql.run(
    `UPDATE jobs SET state = 'waiting', owner = NULL, ticket = NULL, run_at = queue_now() + $2, deaths = $3,
       outcome = coalesce($4, outcome), tag = ${nextTag("jobs.lane", "jobs.repo")} WHERE id = $1`,
    [id, Math.max(0, inMs), deaths, reason],
  );
}

/** A job no longer runs: its ticket goes, and whatever waits under its key gets one. */
export async function handOn(sql: Sql, tickets: Tickets, { key, lane, ticket }: Running): Promise<void> {
  if (ticket !== null) await tickets.done(sql, lane, ticket);
  await issueTo(sql, tickets, key);
}
