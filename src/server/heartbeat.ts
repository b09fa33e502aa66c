// Says every few seconds that this process lives, and takes up what others left behind.
import type { Logger } from "pino";
import type { Queue } from "../ports.ts";
import type { Worker } from "../worker.ts";

const BEAT_MS = 5_000;

export interface Heartbeat {
  /** Gives back what is still held: others need not wait to see that we are gone. */
  stop(): Promise<void>;
}

/**
 * One beat. Once before any worker looks for a job, so that what dead processes had in their hands comes first; whoever is found dead
 * only later, as on another machine, has their jobs taken back by a later beat. Never throws.
 */
export async function sayAlive(queue: Pick<Queue, "beat">, log: Logger): Promise<void> {
  try {
    const recovered = await queue.beat(Date.now());
    if (recovered > 0) log.warn({ recovered }, "jobs of a process that ended abruptly wait again");
  } catch (error) {
    log.warn({ err: error }, "a sign of life could not be written; the next beat tries again");
  }
}

/** @param workers are woken at each beat: jobs may have come from elsewhere, as from the command line */
export function heartbeat(
  queue: Pick<Queue, "beat" | "leave">,
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
  // A beat that takes longer than the time between two is not overtaken by the next.
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
        await queue.leave(Date.now());
      } catch (error) {
        log.warn({ err: error }, "what this process holds is given back when others see that it is gone");
      }
    },
  };
}
