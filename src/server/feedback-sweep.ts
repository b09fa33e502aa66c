// Looks for what people did about findings where no webhook tells: at the start and every five minutes the pull requests
// whose hour is over are put into the queue.
import type { Logger } from "pino";
import type { FeedbackJob } from "../domain/job.ts";
import { type LearnPorts, learnFromPeople, learntLine } from "../flows/people/learn-from-people.ts";
import type { Store } from "../wire/store.ts";

const SWEEP_MS = 5 * 60_000;
/** Reactions are not urgent, and each look costs a few of the 5,000 requests an hour that GitHub grants. */
const AFTER_MS = 60 * 60_000;
/** Pull requests a sweep: 600 an hour. */
const MOST = 50;

export interface FeedbackSweep {
  stop(): Promise<void>;
}

/** @param wake told when jobs were added */
export function feedbackSweep(
  { looks, queue, memoryProblem }: Pick<Store, "looks" | "queue" | "memoryProblem">,
  wake: () => void,
  { log, afterMs = AFTER_MS }: { readonly log: Logger; readonly afterMs?: number | undefined },
): FeedbackSweep {
  const sweep = async () => {
    // Without memory there is nothing that could learn.
    if (memoryProblem !== null) return;
    try {
      const now = Date.now();
      const due = await looks.due(now, afterMs, MOST);
      for (const job of due) await queue.add(job, now);
      if (due.length > 0) wake();
    } catch (error) {
      log.warn({ err: error }, "who answered our findings could not be asked for; the next sweep tries again");
    }
  };
  let last = sweep();
  const timer = setInterval(() => {
    last = last.then(sweep);
  }, SWEEP_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}

/** One such job, and how it ended in one line. */
export async function runFeedback(job: FeedbackJob, ports: LearnPorts): Promise<string> {
  const done = await learnFromPeople(job, ports);
  return done.kind === "skipped" ? `skipped: ${done.reason}` : learntLine(done);
}
