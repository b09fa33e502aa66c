// One lane of the queue: which job comes next, who holds it, and how it ends.
import type { AnyJob, JobEnd, Lane, LaneName, Lease } from "../../ports.ts";
import { failPoint } from "../fail-point.ts";
import { type Database, write, writeAtOnce } from "./database.ts";
import { isHeld } from "./hold.ts";

export interface LaneOptions {
  readonly instance: string;
  /** See processMark. */
  readonly process: string | null;
  /** What the queue's own clock is ahead of the caller's, in whole milliseconds. */
  readonly skew: () => number;
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
  return {
    async lease(now) {
      failPoint("before-lease");
      // Looking takes no lock: most looks find nothing.
      const at = now + skew();
      if (next(db, name, at) === undefined) return null;
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
      const at = db.prepare(NEXT_AT).pluck().get(name) as number | null;
      return at === null ? null : at - skew();
    },
    isOvertaken: async ({ job }) =>
      db.prepare("SELECT 1 FROM jobs WHERE key = ? AND state = 'waiting'").get(job.key) !== undefined,
  };
}

const NEXT_AT = `SELECT min(max(run_at, coalesce(closed_until, 0)))
  FROM jobs LEFT JOIN installations ON installations.id = jobs.installation_id
  WHERE state = 'waiting' AND lane = ?`;

/** Whose turn it is: repositories as they were last served, longest ago first. */
const NEXT = `SELECT jobs.id, job, attempt, token, jobs.repo,
    max(run_at, coalesce((SELECT closed_until FROM installations WHERE id = jobs.installation_id), 0)) AS since
  FROM jobs LEFT JOIN turns ON turns.lane = jobs.lane AND turns.repo = jobs.repo
  WHERE state = 'waiting' AND jobs.lane = @lane AND run_at <= @now
    AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = jobs.key AND busy.state = 'running')
    AND NOT EXISTS (SELECT 1 FROM installations WHERE id = jobs.installation_id AND closed_until > @now)
  ORDER BY coalesce(turn, 0), run_at, jobs.id LIMIT 1`;

function next(db: Database.Database, lane: LaneName, now: number): JobRow | undefined {
  return db.prepare(NEXT).get({ lane, now }) as JobRow | undefined;
}

function take<Taken extends AnyJob>(
  db: Database.Database,
  name: LaneName,
  now: number,
  { instance, process: mark }: LaneOptions,
): Lease<Taken> | null {
  const row = next(db, name, now);
  if (row === undefined) return null;
  const { id, job } = row;
  // Whoever holds a job is known, also one that was taken for dead.
  db.prepare("INSERT INTO instances (id, process, beats) VALUES (?, ?, 0) ON CONFLICT DO NOTHING").run(instance, mark);
  const [attempt, token] = [row.attempt + 1, row.token + 1];
  db.prepare("UPDATE jobs SET state = 'running', attempt = ?, token = ?, owner = ? WHERE id = ?").run(
    ...[attempt, token, instance, id],
  );
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
      "UPDATE jobs SET state = ?, run_at = ?, owner = NULL, deaths = 0, outcome = ?, finished_at = ? WHERE id = ?",
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
