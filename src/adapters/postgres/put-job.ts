// Jobs come into the ledger, each in the place of one of its key that waits, together with their tickets.
import type { AnyJob, LaneName } from "../../ports.ts";
import { jobTimes } from "../job-times.ts";
import { SUSPECT_AFTER } from "../suspicion.ts";
import type { Sql } from "./sql.ts";
import type { Tickets, Waiting } from "./tickets.ts";

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

/** Before all turns: what was interrupted. */
export const FIRST_TAG = -1;

/** A job on its way into the ledger. */
export interface Putting {
  readonly job: AnyJob;
  /** The caller's time; the job's times are the caller's too. */
  readonly at: number;
  /** What overtook the one that waits. */
  readonly by: string;
}

/** How things stand for a job that comes. */
export interface Place {
  readonly now: number;
  readonly ticket: string | null;
  readonly waits: boolean;
  readonly runs: boolean;
  readonly since: number | null;
  readonly tag: number;
}

const PLACES = `SELECT queue_now() AS now, own.ticket, own.id IS NOT NULL AS waits,
    EXISTS (SELECT 1 FROM jobs WHERE jobs.key = given.key AND state = 'running') AS runs,
    CASE WHEN own.attempt = 0 THEN own.created_at END AS since,
    coalesce(own.tag, ${nextTag("$1", "given.repo")}) AS tag
  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (key, repo, place)
  LEFT JOIN jobs AS own ON own.key = given.key AND own.state = 'waiting' ORDER BY place`;

const INSERT = `INSERT INTO jobs (key, lane, job, state, run_at, created_at, repo, installation_id, tag, ticket)
  SELECT key, $1, job, 'waiting', run_at, created_at, repo, installation_id, tag, ticket
  FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::uuid[])
    WITH ORDINALITY AS given (key, job, run_at, created_at, repo, installation_id, tag, ticket, place)
  ORDER BY place`;

/** How things stand for each of these jobs. The keys must be locked. */
export function placesOf(sql: Sql, lane: LaneName, jobs: readonly AnyJob[]): Promise<Place[]> {
  return sql.all<Place>(PLACES, [lane, jobs.map(({ key }) => key), jobs.map(repoOf)]);
}

function repoOf({ repo }: AnyJob): string {
  return `${repo.host}/${repo.id}`;
}

/**
 * Adds jobs, each in the place of one of its key that waits. The keys must be locked, and no two of them alike: an
 * installation on thousands of repositories comes as one delivery, so what costs a round trip costs it once for all of them.
 */
export async function putAll(sql: Sql, tickets: Tickets, lane: LaneName, jobs: readonly Putting[]): Promise<void> {
  if (jobs.length === 0) return;
  const seen = jobs.map(({ job }) => job);
  await putAt(sql, tickets, lane, jobs, await placesOf(sql, lane, seen));
}

/** The same where it is known how things stand (see placesOf): nothing of these keys has changed since. */
export async function putAt(
  sql: Sql,
  tickets: Tickets,
  lane: LaneName,
  jobs: readonly Putting[],
  seen: readonly Place[],
): Promise<void> {
  if (jobs.length === 0) return;
  const keys = jobs.map(({ job }) => job.key);
  const repos = jobs.map(({ job }) => repoOf(job));
  const places = inTurn(seen, repos);
  const times = jobs.map(({ job, at }, index) => {
    const { now, since } = placeAt(places, index);
    return jobTimes(job, at, { now, first: since });
  });
  const waiting = keys.map((key, index): Waiting => {
    return { lane, key, repo: repos[index] ?? "", runAt: times[index]?.runAt ?? 0, tag: placeAt(places, index).tag };
  });
  // Tickets come before rows of the ledger: whoever leases has the ticket and wants the row.
  const issued = await ticketsFor(sql, tickets, waiting, places);
  for (const [index, { job, by }] of jobs.entries())
    if (placeAt(places, index).waits) await replace(sql, job.key, "superseded", `overtaken by ${by}`);
  await sql.run(INSERT, [
    lane,
    keys,
    jobs.map(({ job }) => JSON.stringify(job)),
    ...[times.map(({ runAt }) => runAt), times.map(({ since }) => since), repos],
    ...[jobs.map(({ job }) => job.installationId), waiting.map(({ tag }) => tag), issued],
  ]);
}

function placeAt(places: readonly Place[], index: number): Place {
  const place = places[index];
  if (place === undefined) throw new Error("the database has no place for a job");
  return place;
}

/** Those that come at once have not seen each other: each further one of a repository has the turn after the last. */
function inTurn(places: readonly Place[], repos: readonly string[]): readonly Place[] {
  const before = new Map<string, number>();
  return places.map((place, index) => {
    if (place.waits) return place;
    const repo = repos[index] ?? "";
    const turns = before.get(repo) ?? 0;
    before.set(repo, turns + 1);
    return { ...place, tag: place.tag + turns };
  });
}

async function ticketsFor(
  sql: Sql,
  tickets: Tickets,
  waiting: readonly Waiting[],
  places: readonly Place[],
): Promise<readonly (string | null)[]> {
  const fresh = waiting.filter((_, index) => isFresh(placeAt(places, index)));
  const issued = await tickets.issueAll(sql, fresh);
  const found: (string | null)[] = [];
  for (const [index, one] of waiting.entries()) {
    const place = placeAt(places, index);
    const id = isFresh(place) ? issued.get(one.key) : null;
    found.push(id ?? (place.runs ? null : await ticketFor(sql, tickets, one, place.ticket)));
  }
  return found;
}

function isFresh({ waits, runs }: Place): boolean {
  return !waits && !runs;
}

/** Behind one that runs a job gets its ticket when that one ends: null. */
async function ticketFor(sql: Sql, tickets: Tickets, waiting: Waiting, ticket: string | null): Promise<string | null> {
  if (ticket === null) return tickets.issue(sql, waiting);
  if (await tickets.move(sql, ticket, waiting)) return ticket;
  // Leased a moment ago: it runs by now, or its ticket is lost.
  const runs = await sql.one("SELECT 1 FROM jobs WHERE key = $1 AND state = 'running'", [waiting.key]);
  return runs === null ? tickets.issue(sql, waiting) : null;
}

/** Ends the jobs of a key that wait; returns how many. A ticket that is left serves the next of its key, or is put back. */
export function replace(sql: Sql, key: string, state: "superseded" | "cancelled", why: string): Promise<number> {
  return sql.run(
    `UPDATE jobs SET state = $2, finished_at = queue_now(), outcome = $3, ticket = NULL
     WHERE key = $1 AND state = 'waiting'`,
    [key, state, why],
  );
}

/** Of jobs that wait without a ticket those that are to have one. A suspect is taken without: see lane.ts. */
export const WANTS_TICKET = `state = 'waiting' AND ticket IS NULL AND deaths < ${SUSPECT_AFTER}`;

/** Gives a ticket to the job that waits under a key and has none. The key must be locked, and nothing of it run. */
export async function issueTo(sql: Sql, tickets: Tickets, key: string): Promise<void> {
  const found = await sql.one<Waiting & { readonly id: number }>(
    `SELECT id, lane, key, repo, run_at AS "runAt", tag FROM jobs
     WHERE key = $1 AND ${WANTS_TICKET}
       AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = $1 AND busy.state = 'running')`,
    [key],
  );
  if (found === null) return;
  const ticket = await tickets.issue(sql, found);
  await sql.run("UPDATE jobs SET ticket = $2 WHERE id = $1 AND state = 'waiting'", [found.id, ticket]);
}
