// The durable queue on one SQLite file and one process.
import type { Database } from "better-sqlite3";
import type { CommandJob } from "../../domain/command.ts";
import type { ReviewJob, UpkeepJob } from "../../domain/job.ts";
import type { AnyJob, JobEnd, Lane, Lease, Queue, ReceivedDelivery } from "../../ports.ts";
import { write, writeAtOnce } from "./database.ts";

interface JobRow {
  readonly id: number;
  readonly job: string;
  readonly attempt: number;
}

/**
 * The queue over an open queue database (see QUEUE_MIGRATIONS).
 *
 * Every method throws `Transient` when another process holds the write lock for more than a second.
 */
export function sqliteQueue(db: Database): Queue {
  return {
    ...lane<ReviewJob>(db, "review"),
    commands: lane<CommandJob>(db, "command"),
    upkeep: lane<UpkeepJob>(db, "upkeep"),
    add: (job, now) =>
      write(db, () =>
        job.kind === "review" ? put(db, "review", job, now, job.headSha) : put(db, "upkeep", job, now, job.delivery),
      ),
    drop: (key, reason, now) => write(db, () => replace(db, key, "cancelled", now, reason)),
    accept: (delivery, outcome, beside = []) => write(db, () => takeDelivery(db, delivery, outcome, beside)),
    recover: (now) => write(db, () => recover(db, now)),
    counts: () => counts(db),
  };
}

type LaneName = "review" | "command" | "upkeep";

function lane<Held extends AnyJob>(db: Database, name: LaneName): Lane<Held> {
  return {
    // Workers look again by themselves: nothing waits for a lock.
    lease: (now, leaseMs) => writeAtOnce(db, () => lease<Held>(db, name, now, leaseMs)),
    end: (held, now, end) => write(db, () => finish(db, held, now, end)),
    nextAt: () => {
      const row = db.prepare("SELECT min(run_at) AS at FROM jobs WHERE state = 'waiting' AND lane = ?").get(name) as {
        at: number | null;
      };
      return row.at;
    },
    isOvertaken: ({ job }) =>
      db.prepare("SELECT 1 FROM jobs WHERE key = ? AND state = 'waiting'").get(job.key) !== undefined,
  };
}

/** Pushes that never stop do not put off the review for ever: the first of them waits so many times as long at most. */
const MOST_WAITS = 6;

/** When a job may run, and since when its pull request waits for one. */
function timesOf(db: Database, job: AnyJob, now: number): { readonly runAt: number; readonly since: number } {
  if (job.kind !== "review") return { runAt: now, since: now };
  const row = db
    .prepare("SELECT min(created_at) AS since FROM jobs WHERE key = ? AND state = 'waiting' AND attempt = 0")
    .get(job.key) as { since: number | null };
  const since = row.since ?? now;
  const wait = Math.max(0, Math.ceil(job.notBefore ?? now) - now);
  return { runAt: Math.max(now, Math.min(now + wait, since + MOST_WAITS * wait)), since };
}

/**
 * Keeps one delivery with all that follows from it. Inside a write transaction.
 *
 * @returns false when it was taken before, by its id or by its meaning
 */
export function takeDelivery(
  db: Database,
  delivery: ReceivedDelivery,
  outcome: Parameters<Queue["accept"]>[1],
  beside: readonly UpkeepJob[],
): boolean {
  const isNew = accept(db, delivery, outcome);
  if (isNew) for (const job of beside) put(db, "upkeep", job, delivery.receivedAt, job.delivery);
  return isNew;
}

function accept(db: Database, delivery: ReceivedDelivery, outcome: Parameters<Queue["accept"]>[1]): boolean {
  const { meaning = null } = delivery;
  const keep = db.prepare(
    "INSERT INTO deliveries (id, event, received_at, outcome, reason, meaning) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const told =
    meaning === null
      ? undefined
      : (db.prepare("SELECT id FROM deliveries WHERE meaning = ?").get(meaning) as { id: string } | undefined);
  if (told !== undefined) {
    // Its id is kept too: what was answered with 202 can be found.
    keep.run(delivery.id, delivery.event, delivery.receivedAt, "ignored", `says the same as ${told.id}`, null);
    return false;
  }
  const inserted = keep.run(delivery.id, delivery.event, delivery.receivedAt, outcome.kind, reasonOf(outcome), meaning);
  if (inserted.changes === 0) return false;
  const { receivedAt } = delivery;
  // Whatever waits under the key is overtaken: by a newer head, or by its end.
  if (outcome.kind === "cancel") {
    replace(db, outcome.key, "cancelled", receivedAt, outcome.reason);
    forgetMeanings(db, outcome.key);
  }
  if (outcome.kind === "review") put(db, "review", outcome, receivedAt, outcome.headSha);
  if (outcome.kind === "command") put(db, "command", outcome, receivedAt, outcome.delivery);
  if (outcome.kind === "upkeep") for (const job of outcome.jobs) put(db, "upkeep", job, receivedAt, job.delivery);
  return true;
}

/** What was said before the end may be said again after it: a pull request can be reopened within a second. */
function forgetMeanings(db: Database, key: string): void {
  // `A` is the character after `@`.
  db.prepare("UPDATE deliveries SET meaning = NULL WHERE meaning >= ? || '@' AND meaning < ? || 'A'").run(key, key);
}

function reasonOf(outcome: Parameters<Queue["accept"]>[1]): string {
  if (outcome.kind === "review") return outcome.trigger;
  if (outcome.kind === "command") return outcome.command.kind === "verb" ? outcome.command.verb : outcome.command.kind;
  if (outcome.kind !== "upkeep") return outcome.reason;
  const [first] = outcome.jobs;
  return outcome.jobs.length === 1 && first !== undefined
    ? `${first.kind}: ${first.trigger}`
    : `${outcome.jobs.length} jobs`;
}

/** Adds a job in the place of one that waits. `by` names what overtook that. */
function put(db: Database, name: LaneName, job: AnyJob, at: number, by: string): void {
  const { runAt, since } = timesOf(db, job, at);
  replace(db, job.key, "superseded", at, `overtaken by ${by}`);
  db.prepare("INSERT INTO jobs (key, lane, job, state, run_at, created_at) VALUES (?, ?, ?, 'waiting', ?, ?)").run(
    job.key,
    name,
    JSON.stringify(job),
    runAt,
    since,
  );
}

/** Ends the jobs of a key that wait; returns how many. */
function replace(db: Database, key: string, state: "superseded" | "cancelled", at: number, why: string): number {
  return db
    .prepare("UPDATE jobs SET state = ?, finished_at = ?, outcome = ? WHERE key = ? AND state = 'waiting'")
    .run(state, at, why, key).changes;
}

function lease<Held extends AnyJob>(db: Database, name: LaneName, now: number, leaseMs: number): Lease<Held> | null {
  // A lease that ran out belongs to a worker that is gone; its job waits again.
  db.prepare("UPDATE jobs SET state = 'waiting', lease_until = NULL WHERE state = 'running' AND lease_until <= ?").run(
    now,
  );
  const row = db
    .prepare(
      `SELECT id, job, attempt FROM jobs AS next
       WHERE state = 'waiting' AND lane = ? AND run_at <= ?
         AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = next.key AND busy.state = 'running')
       ORDER BY run_at, id LIMIT 1`,
    )
    .get(name, now) as JobRow | undefined;
  if (row === undefined) return null;
  db.prepare("UPDATE jobs SET state = 'running', attempt = attempt + 1, lease_until = ? WHERE id = ?").run(
    now + leaseMs,
    row.id,
  );
  return { id: row.id, job: JSON.parse(row.job) as Held, attempt: row.attempt + 1 };
}

function finish(db: Database, held: Lease<AnyJob>, now: number, end: JobEnd): void {
  if (end.state === "retry") {
    // A later job of the same key that waits makes this retry pointless.
    const overtaken =
      db.prepare("SELECT 1 FROM jobs WHERE key = ? AND state = 'waiting'").get(held.job.key) !== undefined;
    db.prepare(
      "UPDATE jobs SET state = ?, run_at = ?, lease_until = NULL, outcome = ?, finished_at = ? WHERE id = ? AND state = 'running'",
    ).run(overtaken ? "superseded" : "waiting", Math.ceil(end.at), end.reason, overtaken ? now : null, held.id);
    return;
  }
  const outcome = end.state === "done" ? end.outcome : end.reason;
  db.prepare(
    "UPDATE jobs SET state = ?, lease_until = NULL, outcome = ?, finished_at = ? WHERE id = ? AND state = 'running'",
  ).run(end.state, outcome, now, held.id);
}

function recover(db: Database, now: number): number {
  return db
    .prepare("UPDATE jobs SET state = 'waiting', lease_until = NULL, run_at = ? WHERE state = 'running'")
    .run(now).changes;
}

function counts(db: Database): ReturnType<Queue["counts"]> {
  const rows = db.prepare("SELECT state, count(*) AS n FROM jobs GROUP BY state").all() as {
    state: string;
    n: number;
  }[];
  const of = (state: string) => rows.find((row) => row.state === state)?.n ?? 0;
  return { waiting: of("waiting"), running: of("running"), dead: of("dead") };
}
