// Ends check runs that nobody else would end: at the start, every minute, and when it is woken.
import type { Logger } from "pino";
import { sweepChecks } from "../flows/check-run.ts";
import type { CheckBook } from "../ports/checks.ts";

const SWEEP_MS = 60_000;

export interface CheckSweeper {
  /** Look now: a job may have left a check run behind. */
  wake(): void;
  stop(): Promise<void>;
}

/** @param checksOf access to the check runs of one repository */
export function checkSweeper(book: CheckBook, checksOf: Parameters<typeof sweepChecks>[1], log: Logger): CheckSweeper {
  let last = Promise.resolve();
  const sweep = async () => {
    try {
      const swept = await sweepChecks(book, checksOf, Date.now());
      for (const { error, ...one } of swept) log.warn({ ...one, err: error }, "check run that was left behind");
    } catch (error) {
      log.error({ err: error }, "check runs could not be swept");
    }
  };
  const wake = () => {
    last = last.then(sweep);
  };
  const timer = setInterval(wake, SWEEP_MS);
  timer.unref();
  wake();
  return {
    wake,
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}
