// Ends check runs, and summaries that say that a review is being written, that nobody else would end: at the start, every minute, and when it is woken. Those of a suspended installation
// are tried again every hour, and as soon as somebody says that the App reaches more than it did.
import type { Logger } from "pino";
import { sweepChecks } from "../flows/review/check-run.ts";
import { type SweptProgress, sweepProgress } from "../flows/review/progress.ts";
import type { CheckStore, ProgressStore } from "../ports/checks.ts";
import { inRounds, MINUTE_MS, type Rounds } from "./rounds.ts";

export interface CheckSweeper extends Rounds {
  /** Look now, at those of suspended installations as well. */
  wakeAll(): void;
}

const SUSPENDED_MS = 60 * MINUTE_MS;

/**
 * @param checksOf access to the check runs of one repository
 * @param reviewsOf access to the summaries of one repository
 */
export function checkSweeper(
  { checks, progress }: { readonly checks: CheckStore; readonly progress: ProgressStore },
  checksOf: Parameters<typeof sweepChecks>[1],
  reviewsOf: Parameters<typeof sweepProgress>[1],
  log: Logger,
): CheckSweeper {
  /** Until when each need not be asked, by the clock that nobody sets. */
  const suspended = new Map<number, number>();
  const sweep = async () => {
    const steady = performance.now();
    for (const [id, until] of suspended) if (until <= steady) suspended.delete(id);
    try {
      const unasked = new Set(suspended.keys());
      const note = (what: string, { error, ...one }: SweptProgress) => {
        log.warn({ ...one, err: error }, what);
        if (one.outcome === "suspended") suspended.set(one.installationId, steady + SUSPENDED_MS);
      };
      for (const one of await sweepChecks(checks, checksOf, Date.now(), unasked))
        note("check run that was left behind", one);
      for (const one of await sweepProgress(progress, reviewsOf, unasked))
        note("summary that was left in progress", one);
    } catch (error) {
      log.error({ err: error }, "check runs could not be swept");
    }
  };
  const rounds = inRounds(MINUTE_MS, sweep);
  return {
    ...rounds,
    wakeAll() {
      suspended.clear();
      rounds.wake();
    },
  };
}
