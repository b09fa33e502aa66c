// One lane of the queue: pg-boss says whose turn it is, the ledger whether it may be taken, who holds it, and how it ends.
import type { AnyJob, JobEnd, Lane, LaneName, Lease } from "../../ports.ts";
import { failPoint } from "../fail-point.ts";
import { ALONE_MS, SUSPECT_AFTER, SUSPECT_PATIENCE_MS } from "../suspicion.ts";
import { isHeld } from "./hold.ts";
import { issueTo, lockKeys, nextTag, tryKey } from "./put-job.ts";
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
  /** Lanes from which this process takes jobs: for one of another it keeps nothing back. */
  readonly served: Set<LaneName>;
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
  let open: Opening = ALL;
  return {
    async lease() {
      failPoint("before-lease");
      options.served.add(name);
      // Looking takes no lock: most looks find nothing.
      const seen = await db.one<Seen>(LOOK, [name, options.instance, [...options.served]]);
      open = openingOf(name, seen);
      if (!(open.ordinary && seen?.isDue) && !(open.suspect && seen?.suspectIsDue)) return null;
      const taken = await db.transaction((sql) => takeOne<Taken>(sql, tickets, name, options, open));
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
      // Whoever may take nothing now looks again at the next beat.
      const next = await db.one<{ at: number | null; now: number }>(NEXT_AT, [name, open.ordinary, open.suspect]);
      return next === null || next.at === null ? null : next.at - next.now + options.now();
    },
    isOvertaken: ({ job }) => isOvertaken(db, job.key),
  };
}

/** What waits behind a running job of its key is looked at when that one ends. */
const FREE = `state = 'waiting' AND lane = $1
  AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = jobs.key AND busy.state = 'running')`;
const CLOSED = "coalesce((SELECT closed_until FROM installations WHERE id = jobs.installation_id), 0)";
const DUE = `${FREE} AND run_at <= queue_now() AND ${CLOSED} <= queue_now()`;
const IS_SUSPECT = `deaths >= ${SUSPECT_AFTER}`;
/** Whether something of the lane is due, and what the process may take (see suspicion.ts): of several one keeps itself free for a suspect. */
const LOOK = `SELECT EXISTS (SELECT 1 FROM jobs WHERE ${DUE} AND NOT ${IS_SUSPECT}) AS "isDue",
  EXISTS (SELECT 1 FROM jobs WHERE ${DUE} AND ${IS_SUSPECT}) AS "suspectIsDue",
  EXISTS (SELECT 1 FROM jobs WHERE state = 'running' AND owner = $2) AS "isAtWork",
  EXISTS (SELECT 1 FROM jobs WHERE state = 'running' AND owner = $2
    AND ${IS_SUSPECT} AND taken_at > queue_now() - ${ALONE_MS}) AS "isBeside",
  (SELECT lane FROM jobs WHERE state = 'waiting' AND lane = ANY($3::text[]) AND ${IS_SUSPECT}
      AND run_at <= queue_now() - ${SUSPECT_PATIENCE_MS} AND ${CLOSED} <= queue_now()
      AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = jobs.key AND busy.state = 'running')
      AND $2 = (SELECT min(id) FROM instances) ORDER BY run_at, id LIMIT 1) AS kept`;

interface Seen {
  readonly isDue: boolean;
  readonly suspectIsDue: boolean;
  readonly isAtWork: boolean;
  readonly isBeside: boolean;
  readonly kept: LaneName | null;
}

/** What the process may take from the lane now. */
interface Opening {
  readonly ordinary: boolean;
  readonly suspect: boolean;
}

const ALL: Opening = { ordinary: true, suspect: true };

function openingOf(lane: LaneName, seen: Seen | null): Opening {
  if (seen === null || seen.isBeside) return { ordinary: false, suspect: false };
  if (!seen.isAtWork && (seen.kept === null || seen.kept === lane)) return ALL;
  return { ordinary: seen.kept === null, suspect: false };
}

/** Without a look at each job of a long queue: the first that is not kept, and the first of those that are. */
const MAY_TAKE = `CASE WHEN ${IS_SUSPECT} THEN $3::boolean ELSE $2::boolean END`;
const NEXT_AT = `SELECT queue_now() AS now, least(
    (SELECT run_at FROM jobs WHERE ${FREE} AND ${MAY_TAKE} AND ${CLOSED} <= queue_now() ORDER BY run_at LIMIT 1),
    (SELECT min(greatest(run_at, closed_until)) FROM installations JOIN jobs ON jobs.installation_id = installations.id
      WHERE closed_until > queue_now() AND ${FREE} AND ${MAY_TAKE})) AS at`;

/** A suspect is the first that empty hands take. */
async function takeOne<Taken extends AnyJob>(
  sql: Sql,
  tickets: Tickets,
  name: LaneName,
  options: LaneOptions,
  { ordinary, suspect }: Opening,
): Promise<Lease<Taken> | null> {
  const first = suspect ? await takeSuspect<Taken>(sql, name, options) : null;
  return first ?? (ordinary ? take<Taken>(sql, tickets, name, options) : null);
}

const SUSPECT = `SELECT key FROM jobs WHERE ${DUE} AND ${IS_SUSPECT} ORDER BY run_at, id LIMIT 1`;

/** It has no ticket: pg-boss would hand it to whoever comes, whatever else runs there. */
async function takeSuspect<Taken extends AnyJob>(
  sql: Sql,
  name: LaneName,
  options: LaneOptions,
): Promise<Lease<Taken> | null> {
  const due = await sql.one<{ key: string }>(SUSPECT, [name]);
  if (due === null || !(await tryKey(sql, due.key))) return null;
  const found = await sql.one<Found>(WAITING, [due.key]);
  return found?.isSuspect && mayRun(found) ? taken<Taken>(sql, found, null, options) : null;
}

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
  readonly isSuspect: boolean;
}

function mayRun({ isBusy, mayRunAt, now }: Found): boolean {
  return !isBusy && mayRunAt <= now;
}

const WAITING = `SELECT id, job, repo, tag, greatest(run_at, ${CLOSED}) AS "mayRunAt", queue_now() AS now,
    EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = $1 AND busy.state = 'running') AS "isBusy",
    ${IS_SUSPECT} AS "isSuspect"
  FROM jobs WHERE key = $1 AND state = 'waiting' FOR UPDATE OF jobs`;

/** Whoever holds a job is known, also one that was taken for dead; and its repository was served. */
const TAKE = `WITH known AS (
    INSERT INTO instances (id, process, beats) VALUES ($3, $4, 0) ON CONFLICT DO NOTHING
  ), served AS (
    INSERT INTO turns (lane, repo, tag) SELECT lane, repo, tag FROM jobs WHERE id = $1
    ON CONFLICT (lane, repo) DO UPDATE SET tag = greatest(turns.tag, excluded.tag)
  )
  UPDATE jobs SET state = 'running', attempt = attempt + 1, token = token + 1, owner = $3, ticket = $2, taken_at = queue_now(),
    company = NULL
  WHERE id = $1 RETURNING attempt, token`;

/** The job that a ticket is for; null when none may run now, and then the ticket is put back or has done its duty. */
async function takeBy<Taken extends AnyJob>(
  sql: Sql,
  tickets: Tickets,
  lane: LaneName,
  { id: ticket, key }: Ticket,
  options: LaneOptions,
): Promise<Lease<Taken> | null> {
  const found = await sql.one<Found>(WAITING, [key]);
  if (found === null || found.isSuspect || !mayRun(found)) {
    await tickets.done(sql, lane, ticket);
    if (found === null) return null;
    // Behind one that runs it gets a ticket when that one ends.
    const { id, repo, tag, mayRunAt: runAt } = found;
    const next = found.isBusy || found.isSuspect ? null : await tickets.issue(sql, { lane, key, repo, runAt, tag });
    await sql.run("UPDATE jobs SET ticket = $2 WHERE id = $1", [id, next]);
    return null;
  }
  return taken<Taken>(sql, found, ticket, options);
}

async function taken<Taken extends AnyJob>(
  sql: Sql,
  found: Found,
  ticket: string | null,
  { instance, process: mark }: LaneOptions,
): Promise<Lease<Taken>> {
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
  else await waitAgain(sql, held.id, Math.ceil(Math.min(end.at, LONGEST_WAIT_MS)), end.reason);
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

/** Has a job wait again, at the end of its repository's turns. */
async function waitAgain(sql: Sql, id: number, inMs: number, reason: string): Promise<void> {
  await sql.run(
    `UPDATE jobs SET state = 'waiting', owner = NULL, ticket = NULL, run_at = queue_now() + $2, deaths = 0, alone = 0,
       outcome = $3, tag = ${nextTag("jobs.lane", "jobs.repo")} WHERE id = $1`,
    [id, Math.max(0, inMs), reason],
  );
}

/** A job no longer runs: its ticket goes, and whatever waits under its key gets one. */
export async function handOn(sql: Sql, tickets: Tickets, { key, lane, ticket }: Running): Promise<void> {
  if (ticket !== null) await tickets.done(sql, lane, ticket);
  await issueTo(sql, tickets, key);
}
