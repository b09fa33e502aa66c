// The queue on a PostgreSQL of one test file, on a clock that stands at what the caller says: the suites tell times of their own.
import { openPostgres } from "../../../src/adapters/postgres/database.ts";
import { postgresInbox } from "../../../src/adapters/postgres/inbox.ts";
import { postgresJobShelf } from "../../../src/adapters/postgres/job-shelf.ts";
import { PARTS } from "../../../src/adapters/postgres/migrations.ts";
import { postgresQueue } from "../../../src/adapters/postgres/queue.ts";
import type { Postgres } from "../../../src/adapters/postgres/sql.ts";
import { BOSS_SCHEMA, openTickets, type Tickets } from "../../../src/adapters/postgres/tickets.ts";
import type { Inbox } from "../../../src/ports/inbox.ts";
import type { JobShelf } from "../../../src/ports/jobs.ts";
import type { AnyJob, Lane, Queue } from "../../../src/ports.ts";

export interface PostgresStage {
  readonly db: Postgres;
  readonly tickets: Tickets;
  /** A process of its own on the same store. */
  queue(): Queue;
  inbox(): Inbox;
  shelf(): JobShelf;
  /** Lets so many milliseconds pass. */
  pass(ms: number): Promise<void>;
  /** As if nothing ever happened. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export async function postgresStage(url: string): Promise<PostgresStage> {
  // As the server opens it.
  const db = await openPostgres(url, PARTS, { pipelines: true });
  const tickets = await openTickets(url, () => {});
  await db.run(`
    CREATE TABLE stage_time (at bigint NOT NULL);
    INSERT INTO stage_time VALUES (1000);
    CREATE OR REPLACE FUNCTION queue_now() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT at FROM public.stage_time';
    CREATE OR REPLACE FUNCTION ${BOSS_SCHEMA}.job_now() RETURNS timestamptz LANGUAGE sql STABLE
      AS 'SELECT to_timestamp(at / 1000.0) FROM public.stage_time'`);
  let now = 1_000;
  const set = async (at: number) => {
    if (at !== now) await db.run("UPDATE stage_time SET at = $1", [at]);
    now = at;
  };
  return {
    db,
    tickets,
    queue: () => onStage(postgresQueue(db, tickets, { now: () => now }), set),
    inbox: () => postgresInbox(db, tickets),
    shelf: () => postgresJobShelf(db),
    pass: (ms) => set(now + ms),
    async empty() {
      await db.run(EMPTY);
      await set(1_000);
    },
    async close() {
      await tickets.close();
      await db.close();
    },
  };
}

/** Not TRUNCATE: pg-boss looks after its tables at the same time. */
export const EMPTY = ["jobs", "deliveries", "turns", "instances", "installations", `${BOSS_SCHEMA}.job`]
  .map((table) => `DELETE FROM ${table};`)
  .join(" ");

type SetTime = (at: number) => Promise<void>;

function onStage(queue: Queue, set: SetTime): Queue {
  const at = async <T>(now: number, work: () => Promise<T>) => {
    await set(now);
    return work();
  };
  return {
    ...laneOnStage(queue, set),
    commands: laneOnStage(queue.commands, set),
    upkeep: laneOnStage(queue.upkeep, set),
    accept: (delivery, outcome, beside) => at(delivery.receivedAt, () => queue.accept(delivery, outcome, beside)),
    add: (job, now) => at(now, () => queue.add(job, now)),
    drop: (key, reason, now) => at(now, () => queue.drop(key, reason, now)),
    beat: (now) => at(now, () => queue.beat(now)),
    leave: (now) => at(now, () => queue.leave(now)),
    counts: queue.counts,
  };
}

function laneOnStage<Taken extends AnyJob>(lane: Lane<Taken>, set: SetTime): Lane<Taken> {
  return {
    async lease(now) {
      await set(now);
      return lane.lease(now);
    },
    async end(lease, now, end) {
      await set(now);
      return lane.end(lease, now, end);
    },
    holds: lane.holds,
    isOvertaken: lane.isOvertaken,
    nextAt: lane.nextAt,
  };
}
