// Checks for feedback that sends no webhook, such as reactions: at the start and every five minutes it enqueues the pull requests
// that were last checked more than an hour ago.
import type { Logger } from "pino";
import type { FeedbackJob } from "../../domain/job.ts";
import { type LearnPorts, learnFromPeople, learntLine } from "../../flows/people/learn-from-people.ts";
import type { Store } from "../../wire/store.ts";
import { every, MINUTE_MS, type PeriodicTask } from "./periodic-task.ts";

const SWEEP_MS = 5 * MINUTE_MS;
/** Reactions are not urgent, and each check costs a few of GitHub's 5,000 requests per hour. */
const AFTER_MS = 60 * 60_000;
/** Pull requests per sweep, hence 600 per hour. */
const MOST = 50;

/** @param wake called when jobs were added */
export function feedbackSweep(
  { looks, queue, memoryProblem }: Pick<Store, "looks" | "queue" | "memoryProblem">,
  wake: () => void,
  { log, afterMs = AFTER_MS }: { readonly log: Logger; readonly afterMs?: number | undefined },
): PeriodicTask {
  return every(SWEEP_MS, async () => {
    // Feedback needs memory.
    if (memoryProblem !== null) return;
    try {
      const now = Date.now();
      const due = await looks.due(now, afterMs, MOST);
      for (const job of due) await queue.add(job, now);
      if (due.length > 0) wake();
    } catch (error) {
      log.warn({ err: error }, "feedback sweep failed; the next sweep retries");
    }
  });
}

/** Runs one such job; returns one line on how it ended. */
export async function runFeedback(job: FeedbackJob, ports: LearnPorts): Promise<string> {
  const done = await learnFromPeople(job, ports);
  return done.kind === "skipped" ? `skipped: ${done.reason}` : learntLine(done);
}
