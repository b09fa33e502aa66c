// The durable queue on one PostgreSQL; any number of processes on any number of machines may work on it.
import { randomUUID } from "node:crypto";
import type { CommandJob } from "../../domain/command.ts";
import type { ReviewJob, UpkeepJob } from "../../domain/job.ts";
import type { LaneName, Queue } from "../../ports.ts";
import { failPoint } from "../fail-point.ts";
import { type InstanceOptions, instances } from "./instances.ts";
import { type LaneOptions, lane } from "./lane.ts";
import { lockKeys, putAll, replace } from "./put-job.ts";
import type { Postgres } from "./sql.ts";
import { takeDeliveries } from "./take-delivery.ts";
import type { Tickets } from "./tickets.ts";

/** A process that was not heard of for so long is taken for dead. With 5 s between two beats, four were left out. */
const SILENT_MS = 20_000;

export interface QueueOptions extends InstanceOptions, LaneOptions {
  /** What a clock that nobody sets is ahead of the caller's, in milliseconds. */
  readonly skew: () => number;
}

/**
 * The queue over an open database (see QUEUE_PART).
 *
 * Every method throws `Transient` when the database cannot be asked now. When a job may run is told by the database's clock.
 *
 * @param given who works on it, and by which clocks; without, a process of its own on the caller's
 */
export function postgresQueue(db: Postgres, tickets: Tickets, given: Partial<QueueOptions> = {}): Queue {
  const usual = { instance: randomUUID(), process: null, silentMs: SILENT_MS, skew: () => 0, now: Date.now };
  const options = { ...usual, held: new Set<number>(), served: new Set<LaneName>(), ...given };
  const company = instances(db, tickets, options);
  return {
    ...lane<ReviewJob>(db, tickets, "review", options),
    commands: lane<CommandJob>(db, tickets, "command", options),
    upkeep: lane<UpkeepJob>(db, tickets, "upkeep", options),
    add: (job, now) =>
      db.transaction(async (sql) => {
        await lockKeys(sql, [job.key]);
        const [lane, by] =
          job.kind === "review" ? (["review", job.headSha] as const) : (["upkeep", job.delivery] as const);
        await putAll(sql, tickets, lane, [{ job, at: now, by }]);
      }),
    drop: (key, reason) =>
      db.transaction(async (sql) => {
        await lockKeys(sql, [key]);
        return replace(sql, key, "cancelled", reason);
      }),
    async accept(delivery, outcome, beside = []) {
      failPoint("before-accept");
      const [isNew] = await db.transaction((sql) => takeDeliveries(sql, tickets, [{ delivery, outcome, beside }]));
      failPoint("after-accept");
      return isNew === true;
    },
    beat: (now) => company.beat(now + options.skew()),
    leave: () => company.leave(),
    counts: () => counts(db),
    heard: (wake) => tickets.heard(wake),
  };
}

async function counts(db: Postgres): Promise<Awaited<ReturnType<Queue["counts"]>>> {
  const rows = await db.all<{ state: string; n: number }>(
    "SELECT state, count(*) AS n FROM jobs WHERE state IN ('waiting', 'running', 'dead') GROUP BY state",
  );
  const of = (state: string) => rows.find((row) => row.state === state)?.n ?? 0;
  return { waiting: of("waiting"), running: of("running"), dead: of("dead") };
}
