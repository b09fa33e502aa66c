// The durable queue on one SQLite file; any number of processes may work on it.
import { randomUUID } from "node:crypto";
import type { CommandJob } from "../../domain/command.ts";
import type { ReviewJob, UpkeepJob } from "../../domain/job.ts";
import type { AnyJob, LaneName, Queue, ReceivedDelivery } from "../../ports.ts";
import { failPoint } from "../fail-point.ts";
import { jobTimes } from "../job-times.ts";
import { keptReason } from "../kept-reason.ts";
import { type Database, write } from "./database.ts";
import { type InstanceOptions, instances } from "./instances.ts";
import { type LaneOptions, lane, shortenWaits } from "./lane.ts";

/** What time it is by the queue's own clock when a delivery is kept that was received at some time by the caller's. */
export interface KeepOptions {
  readonly keptAt: (at: number) => number;
}

/** A process that was not heard of for so long is taken for dead. With 5 s between two beats, four were left out. */
const SILENT_MS = 20_000;

/**
 * The queue over an open queue database (see QUEUE_MIGRATIONS).
 *
 * Every method throws `Transient` when another process holds the write lock for more than a second.
 *
 * @param given who works on it, and how far its clock (see steadyClock) is ahead of the caller's; without, a process of its own
 *   on the caller's clock
 */
export function sqliteQueue(
  db: Database.Database,
  given: Partial<InstanceOptions & LaneOptions & KeepOptions> = {},
): Queue {
  const usual = { instance: randomUUID(), process: null, silentMs: SILENT_MS, skew: () => 0, ...given };
  const options = { ...usual, served: new Set<LaneName>() };
  const { skew } = options;
  const keptAt = options.keptAt ?? ((at: number) => at + skew());
  const company = instances(db, options);
  let isFirst = true;
  return {
    ...lane<ReviewJob>(db, "review", options),
    commands: lane<CommandJob>(db, "command", options),
    upkeep: lane<UpkeepJob>(db, "upkeep", options),
    add: async (job, now) =>
      write(db, () =>
        job.kind === "review"
          ? put(db, "review", job, now, job.headSha, now + skew())
          : put(db, "upkeep", job, now, job.delivery, now + skew()),
      ),
    drop: async (key, reason, now) => write(db, () => replace(db, key, "cancelled", now + skew(), reason)),
    async accept(delivery, outcome, beside = []) {
      failPoint("before-accept");
      const isNew = write(db, () => takeDelivery(db, delivery, outcome, beside, keptAt(delivery.receivedAt)));
      failPoint("after-accept");
      return isNew;
    },
    async beat(now) {
      const at = now + skew();
      if (isFirst) write(db, () => shortenWaits(db, at));
      isFirst = false;
      return company.beat(at);
    },
    leave: async (now) => company.leave(now + skew()),
    counts: async () => counts(db),
  };
}

/**
 * Keeps one delivery with all that follows from it. Inside a write transaction.
 *
 * @param now by the queue's own clock; the delivery tells when it was received by another
 * @returns false when it was taken before, by its id or by its meaning
 */
export function takeDelivery(
  db: Database.Database,
  delivery: ReceivedDelivery,
  outcome: Parameters<Queue["accept"]>[1],
  beside: readonly UpkeepJob[],
  now: number,
): boolean {
  const isNew = accept(db, delivery, outcome, now);
  if (isNew) for (const job of beside) put(db, "upkeep", job, delivery.receivedAt, job.delivery, now);
  return isNew;
}

function accept(
  db: Database.Database,
  delivery: ReceivedDelivery,
  outcome: Parameters<Queue["accept"]>[1],
  now: number,
): boolean {
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
  const inserted = keep.run(
    delivery.id,
    delivery.event,
    delivery.receivedAt,
    outcome.kind,
    keptReason(outcome),
    meaning,
  );
  if (inserted.changes === 0) return false;
  const { receivedAt } = delivery;
  if (outcome.kind === "cancel") forgetMeanings(db, outcome.key);
  if (outcome.kind === "review") put(db, "review", outcome, receivedAt, outcome.headSha, now);
  if (outcome.kind === "command") put(db, "command", outcome, receivedAt, outcome.delivery, now);
  if (outcome.kind === "upkeep") for (const job of outcome.jobs) put(db, "upkeep", job, receivedAt, job.delivery, now);
  return true;
}

/** What was said before the end may be said again after it: a pull request can be reopened within a second. */
function forgetMeanings(db: Database.Database, key: string): void {
  // `A` is the character after `@`.
  db.prepare("UPDATE deliveries SET meaning = NULL WHERE meaning >= ? || '@' AND meaning < ? || 'A'").run(key, key);
}

/** Adds a job in the place of one that waits. `by` names what overtook that. `at` and the job's times are the caller's. */
function put(db: Database.Database, name: LaneName, job: AnyJob, at: number, by: string, now: number): void {
  const first = db
    .prepare("SELECT min(created_at) FROM jobs WHERE key = ? AND state = 'waiting' AND attempt = 0")
    .pluck()
    .get(job.key) as number | null;
  const { runAt, since } = jobTimes(job, at, { now, first });
  // What comes in the place of an interrupted job has its turn.
  const interrupted = db.prepare("SELECT interrupted_at FROM jobs WHERE key = ? AND state = 'waiting'").pluck();
  const interruptedAt = interrupted.get(job.key) ?? null;
  replace(db, job.key, "superseded", now, `overtaken by ${by}`);
  db.prepare(
    "INSERT INTO jobs (key, lane, job, state, run_at, created_at, interrupted_at) VALUES (?, ?, ?, 'waiting', ?, ?, ?)",
  ).run(...[job.key, name, JSON.stringify(job), runAt, since, interruptedAt]);
}

/** Ends the jobs of a key that wait; returns how many. */
function replace(
  db: Database.Database,
  key: string,
  state: "superseded" | "cancelled",
  at: number,
  why: string,
): number {
  return db
    .prepare("UPDATE jobs SET state = ?, finished_at = ?, outcome = ? WHERE key = ? AND state = 'waiting'")
    .run(state, at, why, key).changes;
}

function counts(db: Database.Database): Awaited<ReturnType<Queue["counts"]>> {
  const rows = db.prepare("SELECT state, count(*) AS n FROM jobs GROUP BY state").all() as {
    state: string;
    n: number;
  }[];
  const of = (state: string) => rows.find((row) => row.state === state)?.n ?? 0;
  return { waiting: of("waiting"), running: of("running"), dead: of("dead") };
}
