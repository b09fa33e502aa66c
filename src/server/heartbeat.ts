// Says every few seconds that this process lives, and takes up what others left behind.
import type { Logger } from "pino";
import type { Queue } from "../ports.ts";
import type { Worker } from "../worker.ts";

const BEAT_MS = 5_000;

export interface Heartbeat {
  /** Gives back what is still held: others need not wait to see that we are gone. */
  stop(): void;
}

/** @param workers are woken at each beat: jobs may have come from elsewhere, as from the command line */
export function heartbeat(
  queue: Pick<Queue, "beat" | "leave">,
  workers: Readonly<Record<string, Pick<Worker, "wake">>>,
  log: Logger,
  everyMs = BEAT_MS,
): Heartbeat {
  const beat = () => {
    try {
      const recovered = queue.beat(Date.now());
      if (recovered > 0) log.warn({ recovered }, "jobs of a process that ended abruptly wait again");
    } catch (error) {
      log.warn({ err: error }, "a sign of life could not be written; the next beat tries again");
    }
    for (const worker of Object.values(workers)) worker.wake();
  };
  const timer = setInterval(beat, everyMs);
  timer.unref();
  beat();
  return {
    stop() {
      clearInterval(timer);
      try {
        queue.leave(Date.now());
      } catch (error) {
        log.warn({ err: error }, "what this process holds is given back when others see that it is gone");
      }
    },
  };
}
