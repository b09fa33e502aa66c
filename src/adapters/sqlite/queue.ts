// The durable queue on one SQLite file and one process.
import type { Database } from "better-sqlite3";
import type { CommandJob } from "../../domain/command.ts";
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
    add: (job, now) => write(db, () => add(db, job, now)),
    drop: (key, reason, now) => write(db, () => overtake(db, key, "cancelled", reason, now)),
    lease: (now, leaseMs, kind) => write(db, () => lease(db, now, leaseMs, kind ?? null)),
    end: (held, now, end) => write(db, () => finish(db, held, now, end)),
    recover: (now) => write(db, () => recover(db, now)),
    nextAt: () => {
      const row = db.prepare("SELECT min(run_at) AS at FROM jobs WHERE state = 'waiting'").get() as {
        at: number | null;
      };
      return row.at;
    },
    counts: () => counts(db),
  };
}

function accept(
  db: Database,
  delivery: ReceivedDelivery,
  outcome: ReviewJob | CommandJob | CancelJob | Ignored,
): boolean {
  const inserted = db
    .prepare(
      "INSERT INTO deliveries (id, event, received_at, outcome, reason) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .run(delivery.id, delivery.event, delivery.receivedAt, outcome.kind, reasonOf(outcome));
  if (inserted.changes === 0) return false;
  if (outcome.kind === "ignored") return true;

  if (outcome.kind === "cancel") overtake(db, outcome.key, "cancelled", outcome.reason, delivery.receivedAt);
  else add(db, outcome, delivery.receivedAt);
  return true;
}

function reasonOf(outcome: ReviewJob | CommandJob | CancelJob | Ignored): string {
  if (outcome.kind === "review") return outcome.trigger;
  if (outcome.kind !== "command") return outcome.reason;
  return outcome.command.kind === "verb" ? outcome.command.verb : outcome.command.kind;
}

/** Whatever waits for this key is overtaken: by a newer head, or by its end. Returns how many jobs that were. */
function overtake(db: Database, key: string, state: "superseded" | "cancelled", reason: string, now: number): number {
  return db
    .prepare("UPDATE jobs SET state = ?, finished_at = ?, outcome = ? WHERE key = ? AND state = 'waiting'")
    .run(state, now, reason, key).changes;
}

function add(db: Database, job: ReviewJob | CommandJob, now: number): void {
  overtake(db, job.key, "superseded", `overtaken by ${job.headSha ?? job.delivery}`, now);
  db.prepare("INSERT INTO jobs (key, job, state, run_at, created_at) VALUES (?, ?, 'waiting', ?, ?)").run(
    job.key,
    JSON.stringify(job),
    now,
    now,
  );
}

function lease(db: Database, now: number, leaseMs: number, kind: string | null): Lease | null {
  // A lease that ran out belongs to a worker that is gone; its job waits again.
  db.prepare("UPDATE jobs SET state = 'waiting', lease_until = NULL WHERE state = 'running' AND lease_until <= ?").run(
    now,
  );
  const row = db
    .prepare(
      `SELECT id, job, attempt FROM jobs AS next
       WHERE state = 'waiting' AND run_at <= ? AND (? IS NULL OR job ->> 'kind' = ?)
         AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = next.key AND busy.state = 'running')
       ORDER BY run_at, id LIMIT 1`,
    )
    .get(now, kind, kind) as JobRow | undefined;
  if (row === undefined) return null;
  db.prepare("UPDATE jobs SET state = 'running', attempt = attempt + 1, lease_until = ? WHERE id = ?").run(
    now + leaseMs,
    row.id,
  );
  return { id: row.id, job: JSON.parse(row.job) as Lease["job"], attempt: row.attempt + 1 };
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
