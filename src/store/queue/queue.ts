// The durable queue over one database, for any number of processes; with PostgreSQL on any number of machines.
import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { failPoint } from "../../adapters/fail-point.ts";
import type { CommandJob } from "../../domain/command.ts";
import type { ReviewJob, UpkeepJob } from "../../domain/job.ts";
import type { LaneName, Queue } from "../../ports.ts";
import type { NotificationListener } from "../postgres-listener.ts";
import type { Database, Sql } from "../sql.ts";
import { JOBS_CHANNEL, lockKeys } from "./coordination.ts";
import { takeDeliveries } from "./deliveries.ts";
import { storedLane, type WorkingProcess } from "./job-lane.ts";
import { processesOn, type Watching } from "./processes.ts";
import { cancel, putJobs } from "./put.ts";

/** A process silent for so long is taken for dead: four missed heartbeats, at 5 s each. */
const SILENT_MS = 20_000;

interface QueueOptions extends WorkingProcess, Watching {
  /** Receives notifications of other processes; absent on SQLite. */
  readonly listener: NotificationListener;
}

/**
 * The queue over an open database (see QUEUE_PART), on the database's clock. Every method throws `Transient` when the database does not
 * answer.
 *
 * @param given the working process; defaults are for a new one
 */
export function storedQueue(db: Database, given: Partial<QueueOptions> = {}): Queue {
  const worker: WorkingProcess & Watching = {
    instance: randomUUID(),
    process: null,
    held: new Set(),
    served: new Set(),
    silentMs: SILENT_MS,
    elapsed: () => performance.now(),
    ...given,
  };
  const processes = processesOn(db, worker, worker);
  const { listener } = given;
  return {
    ...storedLane<ReviewJob>(db, "review", worker),
    commands: storedLane<CommandJob>(db, "command", worker),
    upkeep: storedLane<UpkeepJob>(db, "upkeep", worker),
    add: (job, at) =>
      db.transaction(async (tx) => {
        await lockKeys(tx, [job.key]);
        const [lane, by] =
          job.kind === "review" ? (["review", job.headSha] as const) : (["upkeep", job.delivery] as const);
        await putJobs(tx, [{ lane, job, at, by }]);
      }),
    drop: (key, reason) =>
      db.transaction(async (tx) => {
        await lockKeys(tx, [key]);
        return cancel(tx, key, "cancelled", reason);
      }),
    async accept(delivery, outcome, beside = []) {
      failPoint("before-accept");
      const [isNew] = await db.transaction((tx) => takeDeliveries(tx, [{ delivery, outcome, beside }]));
      failPoint("after-accept");
      return isNew === true;
    },
    heartbeat: processes.heartbeat,
    release: processes.release,
    counts: () => counts(db),
    ...(listener === undefined ? {} : { onJobAvailable: (wake) => wakeBy(listener, wake) }),
  };
}

const LANES: readonly LaneName[] = ["review", "command", "upkeep"];

function wakeBy(listener: NotificationListener, wake: (lane: LaneName) => void): void {
  listener.listen(
    JOBS_CHANNEL,
    (said) => LANES.filter((lane) => lane === said).forEach(wake),
    // Earlier notifications may be lost.
    () => LANES.forEach(wake),
  );
}

async function counts(sql: Sql): ReturnType<Queue["counts"]> {
  const rows = await sql.all<{ state: string; n: number }>(
    "SELECT state, count(*) AS n FROM jobs WHERE state IN ('waiting', 'running', 'parked') GROUP BY state",
  );
  const of = (state: string) => rows.find((row) => row.state === state)?.n ?? 0;
  return { waiting: of("waiting"), running: of("running"), parked: of("parked") };
}
