// One lane of the queue: which job comes next, who holds it, and how it ends.
import type { AnyJob, JobEnd, Lane, LaneName, Lease } from "../../ports.ts";
import { failPoint } from "../fail-point.ts";
import { ALONE_MS, SUSPECT_AFTER, SUSPECT_PATIENCE_MS } from "../suspicion.ts";
import { type Database, write, writeAtOnce } from "./database.ts";
import { isHeld } from "./hold.ts";

export interface LaneOptions {
  readonly instance: string;
  /** See processMark. */
  readonly process: string | null;
  /** What the queue's own clock is ahead of the caller's, in whole milliseconds. */
  readonly skew: () => number;
  /** Lanes from which this process takes jobs: for one of another it keeps nothing back. */
  readonly served: Set<LaneName>;
}

interface JobRow {
  readonly id: number;
  readonly job: string;
  readonly attempt: number;
  readonly token: number;
  readonly repo: string;
  /** From when on it might have run. */
  readonly since: number;
}

/** Nobody waits longer than this, whatever clocks did: an hour is the longest that a limit of GitHub lasts. */
const LONGEST_WAIT_MS = 65 * 60_000;

/** The lane over an open queue database. Throws `Transient` when another process holds the write lock. */
export function lane<Taken extends AnyJob>(db: Database.Database, name: LaneName, options: LaneOptions): Lane<Taken> {
  const { skew } = options;
  let looked = 0;
  return {
    async lease(now) {
      failPoint("before-lease");
      options.served.add(name);
      // Looking takes no lock: most looks find nothing.
      const at = now + skew();
      looked = at;
      if (next(db, name, at, options) === undefined) return null;
      // Workers look again by themselves: nothing waits for a lock.
      const taken = writeAtOnce(db, () => take<Taken>(db, name, at, options));
      failPoint("after-lease");
      return taken;
    },
    async end(held, now, end) {
      failPoint("before-end");
      const recorded = write(db, () => finish(db, held, now + skew(), shifted(end, skew())));
      failPoint("after-end");
      return recorded;
    },
    holds: async (held) => isHeld(db, held),
    async nextAt() {
      // Whoever may take nothing now looks again at the next beat.
      const at = db
        .prepare(NEXT_AT)
        .pluck()
        .get({ lane: name, deaths: mostDeaths(db, name, looked, options) });
      return at === null ? null : Number(at) - skew();
    },
    isOvertaken: async ({ job }) =>
      db.prepare("SELECT 1 FROM jobs WHERE key = ? AND state = 'waiting'").get(job.key) !== undefined,
  };
}

const NEXT_AT = `SELECT min(max(run_at, coalesce(closed_until, 0)))
  FROM jobs LEFT JOIN installations ON installations.id = jobs.installation_id
  WHERE state = 'waiting' AND lane = @lane AND deaths < @deaths`;

const MAY_RUN = `state = 'waiting' AND run_at <= @now
    AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = jobs.key AND busy.state = 'running')
    AND NOT EXISTS (SELECT 1 FROM installations WHERE id = jobs.installation_id AND closed_until > @now)`;

/**
 * Whose turn it is: what was interrupted before all that waits, then repositories as they were last served, longest ago first. A
 * suspect (see suspicion.ts) may be taken by empty hands only, and is the first that they take.
 */
const NEXT = `SELECT jobs.id, job, attempt, token, jobs.repo,
    max(run_at, coalesce((SELECT closed_until FROM installations WHERE id = jobs.installation_id), 0)) AS since
  FROM jobs LEFT JOIN turns ON turns.lane = jobs.lane AND turns.repo = jobs.repo
  WHERE ${MAY_RUN} AND jobs.lane = @lane AND deaths < @deaths
  ORDER BY CASE
      WHEN deaths >= ${SUSPECT_AFTER} THEN 0
      WHEN interrupted_at IS NOT NULL THEN 1 ELSE 2 END,
    interrupted_at, coalesce(turn, 0), run_at, jobs.id LIMIT 1`;

const HANDS = `SELECT count(*) AS running, coalesce(max(deaths >= ${SUSPECT_AFTER} AND taken_at > ?), 0) AS beside
  FROM jobs WHERE state = 'running' AND owner = ?`;
/** Of several processes one keeps itself free, the same for all of them. */
const KEPT_FREE_FOR = `SELECT lane FROM jobs WHERE deaths >= ${SUSPECT_AFTER} AND lane IN (SELECT value FROM json_each(@served))
  AND ${MAY_RUN} AND @instance = (SELECT min(id) FROM instances) ORDER BY run_at, id LIMIT 1`;

const ANY = Number.MAX_SAFE_INTEGER;

/** Only jobs over which fewer processes died may be taken now: a suspect needs the process for itself. */
function mostDeaths(db: Database.Database, lane: LaneName, now: number, { instance, served }: LaneOptions): number {
  const { running, beside } = db.prepare(HANDS).get(now - ALONE_MS, instance) as { running: number; beside: number };
  if (beside === 1) return 0;
  const waited = { now: now - SUSPECT_PATIENCE_MS, instance, served: JSON.stringify([...served]) };
  const kept = db.prepare(KEPT_FREE_FOR).pluck().get(waited);
  if (running === 0 && (kept === undefined || kept === lane)) return ANY;
  return kept === undefined ? SUSPECT_AFTER : 0;
}

function next(db: Database.Database, lane: LaneName, now: number, options: LaneOptions): JobRow | undefined {
  return db.prepare(NEXT).get({ lane, now, deaths: mostDeaths(db, lane, now, options) }) as JobRow | undefined;
}

function take<Taken extends AnyJob>(
  db: Database.Database,
  name: LaneName,
  now: number,
  options: LaneOptions,
): Lease<Taken> | null {
  const { instance, process: mark } = options;
  const row = next(db, name, now, options);
  if (row === undefined) return null;
  const { id, job } = row;
  // Whoever holds a job is known, also one that was taken for dead.
  db.prepare("INSERT INTO instances (id, process, beats) VALUES (?, ?, 0) ON CONFLICT DO NOTHING").run(instance, mark);
  const [attempt, token] = [row.attempt + 1, row.token + 1];
  db.prepare(
    `UPDATE jobs SET state = 'running', attempt = ?, token = ?, owner = ?, taken_at = ?, interrupted_at = NULL WHERE id = ?`,
  ).run(attempt, token, instance, now, id);
  db.prepare(
    `INSERT INTO turns (lane, repo, turn) VALUES (@name, @repo, (SELECT coalesce(max(turn), 0) + 1 FROM turns))
     ON CONFLICT DO UPDATE SET turn = excluded.turn`,
  ).run({ name, repo: row.repo });
  return { id, job: JSON.parse(job) as Taken, attempt, token, waitedMs: Math.max(0, now - row.since) };
}

function shifted(end: JobEnd, by: number): JobEnd {
  return end.state === "retry" ? { ...end, at: end.at + by } : end;
}

function finish(db: Database.Database, held: Lease<AnyJob>, now: number, end: JobEnd): boolean {
  if (!isHeld(db, held)) return false;
  if (end.state === "retry") {
    // A later job of the same key that waits makes this retry pointless.
    const overtaken =
      db.prepare("SELECT 1 FROM jobs WHERE key = ? AND state = 'waiting'").get(held.job.key) !== undefined;
    const at = Math.ceil(Math.min(end.at, now + LONGEST_WAIT_MS));
    db.prepare(
      "UPDATE jobs SET state = ?, run_at = ?, owner = NULL, deaths = 0, alone = 0, outcome = ?, finished_at = ? WHERE id = ?",
    ).run(overtaken ? "superseded" : "waiting", at, end.reason, overtaken ? now : null, held.id);
    return true;
  }
  const outcome = end.state === "done" ? end.outcome : end.reason;
  db.prepare("UPDATE jobs SET state = ?, owner = NULL, outcome = ?, finished_at = ? WHERE id = ?").run(
    ...[end.state, outcome, now, held.id],
  );
  return true;
}

/** After a restart: a wait that a clock made too long is as long as any may be. */
export function shortenWaits(db: Database.Database, now: number): void {
  db.prepare("UPDATE jobs SET run_at = @at WHERE state = 'waiting' AND run_at > @at").run({
    at: Math.ceil(now + LONGEST_WAIT_MS),
  });
}
