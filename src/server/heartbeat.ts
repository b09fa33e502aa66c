// Reports every few seconds that this process lives, and takes back the jobs of processes that died.
import type { Logger } from "pino";
import type { Queue } from "../ports.ts";
import type { Worker } from "../worker.ts";

const BEAT_MS = 5_000;

export interface Heartbeat {
  /** Gives back what is still held: others need not wait to see that we are gone. */
  stop(): Promise<void>;
}

/**
 * One beat. Once before any worker looks for a job, so that interrupted jobs come first; the jobs of a process that is found dead
 * only later, as on another machine, are taken back by a later beat. Never throws.
 */
export async function sayAlive(queue: Pick<Queue, "heartbeat">, log: Logger): Promise<void> {
  try {
    const recovered = await queue.heartbeat();
    if (recovered > 0) log.warn({ recovered }, "jobs of a process that ended abruptly wait again");
  } catch (error) {
    log.warn({ err: error }, "heartbeat write failed; the next one tries again");
  }
}

/** @param workers are woken at each beat: jobs may have come from elsewhere, as from the command line */
export function heartbeat(
  queue: Pick<Queue, "heartbeat" | "release">,
  workers: Readonly<Record<string, Pick<Worker, "wake">>>,
  log: Logger,
  everyMs = BEAT_MS,
): Heartbeat {
  let last: Promise<void> = Promise.resolve();
  let isBeating = false;
  const beat = async () => {
    await sayAlive(queue, log);
    for (const worker of Object.values(workers)) worker.wake();
    isBeating = false;
  };
  // No beat begins while another one is on its way.
  const next = () => {
    if (isBeating) return;
    isBeating = true;
    last = beat();
  };
  const timer = setInterval(next, everyMs);
  timer.unref();
  next();
  return {
    async stop() {
      clearInterval(timer);
      // After a beat that comes later this process would seem to live.
      await last;
      try {
        await queue.release();
      } catch (error) {
        log.warn({ err: error }, "leases were not released; other processes take them over");
      }
    },
  };
}
