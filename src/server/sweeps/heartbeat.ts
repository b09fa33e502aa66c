// Reports every few seconds that this process lives, and requeues the jobs of dead processes.
import type { Logger } from "pino";
import type { Queue } from "../../ports.ts";
import { every, type PeriodicTask } from "./periodic-task.ts";

const HEARTBEAT_MS = 5_000;

/**
 * One heartbeat. The first, before any worker starts, requeues interrupted jobs; later ones those
 * of processes whose end shows late, as on another machine. Never throws.
 */
export async function beatOnce(queue: Pick<Queue, "heartbeat">, log: Logger): Promise<void> {
  try {
    const recovered = await queue.heartbeat();
    if (recovered > 0) log.warn({ recovered }, "jobs of a crashed process were requeued");
  } catch (error) {
    log.warn({ err: error }, "heartbeat write failed; the next one tries again");
  }
}

/** @returns `stop` releases the leases of this process, which would expire much later */
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
