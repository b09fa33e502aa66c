// Ends check runs that nobody else would end: at the start, every minute, and when it is woken. Those of a suspended installation
// are tried again every hour, and as soon as somebody says that the App reaches more than it did.
import type { Logger } from "pino";
import { sweepChecks } from "../flows/review/check-run.ts";
import type { CheckBook } from "../ports/checks.ts";
import { inRounds, MINUTE_MS, type Rounds } from "./rounds.ts";

export interface CheckSweeper extends Rounds {
  /** Look now, at those of suspended installations as well. */
  wakeAll(): void;
}

const SUSPENDED_MS = 60 * MINUTE_MS;

/** @param checksOf access to the check runs of one repository */
export function checkSweeper(book: CheckBook, checksOf: Parameters<typeof sweepChecks>[1], log: Logger): CheckSweeper {
  /** Until when each need not be asked, by the clock that nobody sets. */
  const suspended = new Map<number, number>();
  const sweep = async () => {
    const steady = performance.now();
    for (const [id, until] of suspended) if (until <= steady) suspended.delete(id);
    try {
      const swept = await sweepChecks(book, checksOf, Date.now(), new Set(suspended.keys()));
      for (const { error, ...one } of swept) {
        log.warn({ ...one, err: error }, "check run that was left behind");
        if (one.outcome === "suspended") suspended.set(one.installationId, steady + SUSPENDED_MS);
      }
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
