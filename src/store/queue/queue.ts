// The durable queue over one database, for any number of processes.
import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { failPoint } from "../../adapters/fail-point.ts";
import type { CommandJob } from "../../domain/command.ts";
import type { ReviewJob, UpkeepJob } from "../../domain/job.ts";
import type { Queue } from "../../ports.ts";
import type { Database } from "../sql.ts";
import { lockKeys } from "./coordination.ts";
import { takeDeliveries } from "./deliveries.ts";
import { storedLane } from "./job-lane.ts";
import { processesOn, type WatchingProcess } from "./processes.ts";
import { cancel, comingJob, putJobs } from "./put.ts";

/** A process silent for so long is taken for dead: four missed heartbeats, at 5 s each. */
const SILENT_MS = 20_000;

/**
 * Over an open database (see QUEUE_PART), on its clock. Every method throws `Transient` when it
 * does not answer.
 *
 * @param given the working process; defaults are for a new one
 */
export function storedQueue(db: Database, given: Partial<WatchingProcess> = {}): Queue {
  const worker: WatchingProcess = {
    instance: randomUUID(),
    process: null,
    held: new Set(),
    silentMs: SILENT_MS,
    elapsed: () => performance.now(),
    ...given,
  };
  return {
    ...storedLane<ReviewJob>(db, "review", worker),
    commands: storedLane<CommandJob>(db, "command", worker),
    upkeep: storedLane<UpkeepJob>(db, "upkeep", worker),
    add: (job, at) =>
      db.transaction(async (tx) => {
        await lockKeys(tx, [job.key]);
        await putJobs(tx, [comingJob(job, at)]);
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
    ...processesOn(db, worker),
    async counts() {
      const rows = await db.all<{ state: string; n: number }>(
        "SELECT state, count(*) AS n FROM jobs WHERE state IN ('waiting', 'running', 'parked') GROUP BY state",
      );
      const counts = Object.fromEntries(rows.map(({ state, n }) => [state, n]));
      return { waiting: 0, running: 0, parked: 0, ...counts };
    },
  };
}
