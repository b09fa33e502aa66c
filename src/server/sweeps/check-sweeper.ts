// Ends check runs and progress summaries whose jobs are over: at the start, every minute, and when it is woken. Those that
// GitHub refuses to end are retried every hour, and as soon as the App reaches more, for 7 days.
import type { Logger } from "pino";
import { type SweptProgress, sweepChecks, sweepProgress } from "../../flows/review/check-run.ts";
import type { CheckStore, ProgressStore } from "../../ports/checks.ts";
import { every, MINUTE_MS } from "./periodic-task.ts";

const REFUSED_MS = 60 * MINUTE_MS;

/**
 * @param checksOf access to the check runs of one repository
 * @param reviewsOf access to the summaries of one repository
 */
export function checkSweeper(
  { checks, progress }: { readonly checks: CheckStore; readonly progress: ProgressStore },
  checksOf: Parameters<typeof sweepChecks>[1],
  reviewsOf: Parameters<typeof sweepProgress>[1],
  log: Logger,
) {
  /** Key of a pull request → until when to skip it, on the monotonic clock. */
  const refusing = new Map<string, number>();
  const sweep = async () => {
    const steady = performance.now();
    for (const [id, until] of refusing) if (until <= steady) refusing.delete(id);
    try {
      const untried = new Set(refusing.keys());
      const note = (what: string, { error, ...one }: SweptProgress) => {
        log.warn({ ...one, err: error }, what);
        if (one.outcome === "refused") refusing.set(one.key, steady + REFUSED_MS);
      };
      for (const one of await sweepChecks(checks, checksOf, Date.now(), untried))
        note("left-over check run ended", one);
      for (const one of await sweepProgress(progress, reviewsOf, untried))
        note("left-over progress summary ended", one);
    } catch (error) {
      log.error({ err: error }, "check runs could not be swept");
    }
  };
  const task = every(MINUTE_MS, sweep);
  return {
    ...task,
    /** Sweeps now, also those that were refused. */
    wakeAll(): void {
      refusing.clear();
      task.wake();
    },
  };
}
