// Ends check runs that nobody else would end: at the start, every minute, and when it is woken.
import type { Logger } from "pino";
import { sweepChecks } from "../flows/check-run.ts";
import type { CheckBook } from "../ports/checks.ts";
import { inRounds, MINUTE_MS, type Rounds } from "./rounds.ts";

/** @param checksOf access to the check runs of one repository */
export function checkSweeper(book: CheckBook, checksOf: Parameters<typeof sweepChecks>[1], log: Logger): Rounds {
  const sweep = async () => {
    try {
      const swept = await sweepChecks(book, checksOf, Date.now());
      for (const { error, ...one } of swept) log.warn({ ...one, err: error }, "check run that was left behind");
    } catch (error) {
      log.error({ err: error }, "check runs could not be swept");
    }
  };
  return inRounds(MINUTE_MS, sweep);
}
