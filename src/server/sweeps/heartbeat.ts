// Reports every few seconds that this process is alive, and requeues the jobs of processes that died.
import type { Logger } from "pino";
import type { Queue } from "../../ports.ts";
import { every, type PeriodicTask } from "./periodic-task.ts";

const HEARTBEAT_MS = 5_000;

/**
 * One heartbeat. Call it once before any worker starts, so that interrupted jobs come first; later heartbeats requeue the jobs of
 * processes whose end shows only later, as on another machine. Never throws.
 */
export async function beatOnce(queue: Pick<Queue, "heartbeat">, log: Logger): Promise<void> {
  try {
    const recovered = await queue.heartbeat();
    if (recovered > 0) log.warn({ recovered }, "jobs of a crashed process were requeued");
  } catch (error) {
    log.warn({ err: error }, "heartbeat write failed; the next one tries again");
  }
}

/** @returns `stop` releases the leases of this process, so that other processes need not wait until they expire */
export function heartbeat(
  queue: Pick<Queue, "heartbeat" | "release">,
  log: Logger,
  everyMs = HEARTBEAT_MS,
): Pick<PeriodicTask, "stop"> {
  const beating = every(everyMs, () => beatOnce(queue, log));
  return {
    async stop() {
      // A heartbeat after the release would make this process look alive.
      await beating.stop();
      try {
        await queue.release();
      } catch (error) {
        log.warn({ err: error }, "leases were not released; other processes take them over");
      }
    },
  };
}
