// Reports every few seconds that this process is alive, and requeues the jobs of processes that died.
import type { Logger } from "pino";
import type { Queue } from "../ports.ts";
import type { Worker } from "../worker.ts";

const HEARTBEAT_MS = 5_000;

export interface Heartbeat {
  /** Releases the leases of this process, so that other processes need not wait until they expire. */
  stop(): Promise<void>;
}

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

/** @param workers woken at each heartbeat, because other processes, such as the command line, add jobs too */
export function heartbeat(
  queue: Pick<Queue, "heartbeat" | "release">,
  workers: Readonly<Record<string, Pick<Worker, "wake">>>,
  log: Logger,
  everyMs = HEARTBEAT_MS,
): Heartbeat {
  let last: Promise<void> = Promise.resolve();
  let isRunning = false;
  const run = async () => {
    await beatOnce(queue, log);
    for (const worker of Object.values(workers)) worker.wake();
    isRunning = false;
  };
  // Heartbeats never overlap.
  const next = () => {
    if (isRunning) return;
    isRunning = true;
    last = run();
  };
  const timer = setInterval(next, everyMs);
  timer.unref();
  next();
  return {
    async stop() {
      clearInterval(timer);
      // A heartbeat after the release would make this process look alive.
      await last;
      try {
        await queue.release();
      } catch (error) {
        log.warn({ err: error }, "leases were not released; other processes take them over");
      }
    },
  };
}
