// A job comes into the ledger, in the place of one of its key that waits, together with its ticket.
import type { AnyJob, LaneName } from "../../ports.ts";
import type { Sql } from "./sql.ts";
import type { Tickets, Waiting } from "./tickets.ts";

/** Pushes that never stop do not put off the review for ever: the first of them waits so many times as long at most. */
const MOST_WAITS = 6;

/** Names our locks among all advisory locks of the database. */
const LOCK_SPACE = 8_417;

/**
 * Nobody else puts, ends or takes back jobs of these keys until the transaction ends. Always the first thing in a
 * transaction and always in the same order, so that no two wait for each other. Whoever leases a job takes its ticket instead.
 */
export async function lockKeys(sql: Sql, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await sql.all(
    `SELECT pg_advisory_xact_lock(lock) FROM (
       SELECT DISTINCT hashtextextended(key, ${LOCK_SPACE}) AS lock FROM unnest($1::text[]) AS key ORDER BY lock
     ) AS locks`,
    [keys],
  );
}

/** The same without waiting: false when somebody else is at it. */
export async function tryKey(sql: Sql, key: string): Promise<boolean> {
  const row = await sql.one<{ got: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended($1, ${LOCK_SPACE})) AS got`,
    [key],
  );
  return row?.got === true;
}

/**
 * Whose turn it is, by start-time fair queueing: a repository's next turn comes after its last one and is never before the
 * turn that is being served, so that each is served once before any is served twice, however many jobs it has. `$lane` and
 * `$repo` are parameters.
 */
export const nextTag = (lane: string, repo: string) => `greatest(
  coalesce((SELECT max(tag) FROM turns WHERE lane = ${lane}), 0),
  coalesce((SELECT tag + 1 FROM turns WHERE lane = ${lane} AND repo = ${repo}), 0),
  coalesce((SELECT max(tag) + 1 FROM jobs AS own
    WHERE own.lane = ${lane} AND own.repo = ${repo} AND own.state IN ('waiting', 'running')), 0))`;

interface Place {
  readonly now: number;
  readonly ticket: string | null;
  readonly waits: boolean;
  readonly runs: boolean;
  readonly since: number | null;
  readonly tag: number;
}

const PLACE = `SELECT queue_now() AS now, own.ticket, own.id IS NOT NULL AS waits,
    EXISTS (SELECT 1 FROM jobs WHERE key = $1 AND state = 'running') AS runs,
    CASE WHEN own.attempt = 0 THEN own.created_at END AS since,
    coalesce(own.tag, ${nextTag("$2", "$3")}) AS tag
  FROM (SELECT 1) AS always LEFT JOIN jobs AS own ON own.key = $1 AND own.state = 'waiting'`;

/**
 * Adds a job in the place of one that waits. The key must be locked.
 *
 * @param at the caller's time; the job's times are the caller's too
 * @param by what overtook the one that waits
 */
export async function put(
  sql: Sql,
  tickets: Tickets,
  lane: LaneName,
  job: AnyJob,
  at: number,
  by: string,
): Promise<void> {
  const repo = `${job.repo.host}/${job.repo.id}`;
  const { place, ticket, runAt, since } = await placed(sql, tickets, { lane, key: job.key, repo }, job, at);
  if (place.waits) await replace(sql, job.key, "superseded", `overtaken by ${by}`);
  await sql.run(
    `INSERT INTO jobs (key, lane, job, state, run_at, created_at, repo, installation_id, tag, ticket)
     VALUES ($1, $2, $3, 'waiting', $4, $5, $6, $7, $8, $9)`,
    [job.key, lane, JSON.stringify(job), runAt, since, repo, job.installationId, place.tag, ticket],
  );
}

/** The ticket comes before any row of the ledger: whoever leases has the ticket and wants the row. */
async function placed(
  sql: Sql,
  tickets: Tickets,
  { lane, key, repo }: Pick<Waiting, "lane" | "key" | "repo">,
  job: AnyJob,
  at: number,
) {
  for (;;) {
    const place = await sql.one<Place>(PLACE, [key, lane, repo]);
    if (place === null) throw new Error("the database has no place for a job");
    const { runAt, since } = timesOf(job, at, place);
    // Behind one that runs it gets its ticket when that one ends.
    if (place.runs) return { place, ticket: null, runAt, since };
    const waiting = { lane, key, repo, runAt, tag: place.tag };
    if (place.ticket === null) return { place, ticket: await tickets.issue(sql, waiting), runAt, since };
    if (await tickets.move(sql, place.ticket, waiting)) return { place, ticket: place.ticket, runAt, since };
    // Leased a moment ago: it runs by now, or its ticket is lost.
    if ((await sql.one("SELECT 1 FROM jobs WHERE key = $1 AND state = 'running'", [key])) === null)
      return { place, ticket: await tickets.issue(sql, waiting), runAt, since };
  }
}

/** When a job may run, and since when its pull request waits for one. */
function timesOf(job: AnyJob, at: number, { now, since: first }: Place) {
  if (job.kind !== "review") return { runAt: now, since: now };
  const since = first ?? now;
  const wait = Math.max(0, Math.ceil(job.notBefore ?? at) - at);
  return { runAt: Math.max(now, Math.min(now + wait, since + MOST_WAITS * wait)), since };
}

/** Ends the jobs of a key that wait; returns how many. A ticket that is left serves the next of its key, or is put back. */
export function replace(sql: Sql, key: string, state: "superseded" | "cancelled", why: string): Promise<number> {
  return sql.run(
    `UPDATE jobs SET state = $2, finished_at = queue_now(), outcome = $3, ticket = NULL
     WHERE key = $1 AND state = 'waiting'`,
    [key, state, why],
  );
}

/** Gives a ticket to the job that waits under a key and has none. The key must be locked, and nothing of it run. */
export async function issueTo(sql: Sql, tickets: Tickets, key: string): Promise<void> {
  const found = await sql.one<Waiting & { readonly id: number }>(
    `SELECT id, lane, key, repo, run_at AS "runAt", tag FROM jobs
     WHERE key = $1 AND state = 'waiting' AND ticket IS NULL
       AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = $1 AND busy.state = 'running')`,
    [key],
  );
  if (found === null) return;
  const ticket = await tickets.issue(sql, found);
  await sql.run("UPDATE jobs SET ticket = $2 WHERE id = $1 AND state = 'waiting'", [found.id, ticket]);
}
