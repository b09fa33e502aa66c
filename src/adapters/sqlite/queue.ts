// The durable queue on one SQLite file and one process.
import type { Database } from "better-sqlite3";
import type { CancelJob, Ignored, ReviewJob } from "../../domain/job.ts";
import type { JobEnd, Lease, Queue, ReceivedDelivery } from "../../ports.ts";
import { write } from "./database.ts";

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
    accept: (delivery, outcome) => write(db, () => accept(db, delivery, outcome)),
    lease: (now, leaseMs) => write(db, () => lease(db, now, leaseMs)),
    end: (held, now, end) => write(db, () => finish(db, held, now, end)),
    recover: (now) => write(db, () => recover(db, now)),
    nextAt: () => {
      const row = db.prepare("SELECT min(run_at) AS at FROM jobs WHERE state = 'waiting'").get() as {
        at: number | null;
      };
      return row.at;
    },
    isOvertaken: ({ job }) =>
      db.prepare("SELECT 1 FROM jobs WHERE key = ? AND state = 'waiting'").get(job.key) !== undefined,
    counts: () => counts(db),
  };
}

/** Pushes that never stop do not put off the review for ever: the first of them waits so many times as long at most. */
const MOST_WAITS = 6;

/** When a job may run, and since when its pull request waits for one. */
function timesOf(db: Database, job: ReviewJob, now: number): { readonly runAt: number; readonly since: number } {
  const row = db
    .prepare("SELECT min(created_at) AS since FROM jobs WHERE key = ? AND state = 'waiting' AND attempt = 0")
    .get(job.key) as { since: number | null };
  const since = row.since ?? now;
  const wait = Math.max(0, Math.ceil(job.notBefore ?? now) - now);
  return { runAt: Math.max(now, Math.min(now + wait, since + MOST_WAITS * wait)), since };
}

function accept(db: Database, delivery: ReceivedDelivery, outcome: ReviewJob | CancelJob | Ignored): boolean {
  const inserted = db
    .prepare(
      "INSERT INTO deliveries (id, event, received_at, outcome, reason) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .run(
      delivery.id,
      delivery.event,
      delivery.receivedAt,
      outcome.kind,
      outcome.kind === "review" ? outcome.trigger : outcome.reason,
    );
  if (inserted.changes === 0) return false;
  if (outcome.kind === "ignored") return true;

  const times = outcome.kind === "review" ? timesOf(db, outcome, delivery.receivedAt) : null;
  // Whatever waits for this pull request is overtaken: by a newer head, or by its end.
  db.prepare("UPDATE jobs SET state = ?, finished_at = ?, outcome = ? WHERE key = ? AND state = 'waiting'").run(
    outcome.kind === "review" ? "superseded" : "cancelled",
    delivery.receivedAt,
    outcome.kind === "review" ? `overtaken by ${outcome.headSha}` : outcome.reason,
    outcome.key,
  );
  if (times !== null) {
    db.prepare("INSERT INTO jobs (key, job, state, run_at, created_at) VALUES (?, ?, 'waiting', ?, ?)").run(
      outcome.key,
      JSON.stringify(outcome),
      times.runAt,
      times.since,
    );
  }
  return true;
}

function lease(db: Database, now: number, leaseMs: number): Lease | null {
  // A lease that ran out belongs to a worker that is gone; its job waits again.
  db.prepare("UPDATE jobs SET state = 'waiting', lease_until = NULL WHERE state = 'running' AND lease_until <= ?").run(
    now,
  );
  const row = db
    .prepare(
      `SELECT id, job, attempt FROM jobs AS next
       WHERE state = 'waiting' AND run_at <= ?
         AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = next.key AND busy.state = 'running')
       ORDER BY run_at, id LIMIT 1`,
    )
    .get(now) as JobRow | undefined;
  if (row === undefined) return null;
  db.prepare("UPDATE jobs SET state = 'running', attempt = attempt + 1, lease_until = ? WHERE id = ?").run(
    now + leaseMs,
    row.id,
  );
  return { id: row.id, job: JSON.parse(row.job) as ReviewJob, attempt: row.attempt + 1 };
}

function finish(db: Database, held: Lease, now: number, end: JobEnd): void {
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
