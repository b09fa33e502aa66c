// Forgets deliveries that nobody sends again: some hundreds at a time, so that no delivery waits behind it.
import type { Logger } from "pino";
import { Transient } from "../domain/transient.ts";
import type { Inbox } from "../ports/inbox.ts";

const DAY_MS = 24 * 60 * 60_000;
/** GitHub redelivers what is at most three days old; 30 is what we promise, and a few more for clocks that are set. */
const KEPT_MS = 35 * DAY_MS;
const EVERY_MS = 6 * 60 * 60_000;
/** Rows a transaction: about a millisecond. */
const CHUNK = 500;
const PAUSE_MS = 50;

export interface Pruning {
  stop(): void;
}

/** Prunes now and every six hours. */
export function pruneDeliveries(inbox: Pick<Inbox, "prune">, log: Logger, now: () => number = Date.now): Pruning {
  let timer: NodeJS.Timeout | undefined;
  let gone = 0;
  const later = (ms: number) => {
    timer = setTimeout(prune, ms);
    timer.unref();
  };
  const prune = () => {
    try {
      const some = inbox.prune(now() - KEPT_MS, CHUNK);
      gone += some;
      if (some === CHUNK) return later(PAUSE_MS);
      if (gone > 0) log.info({ deliveries: gone }, "old deliveries were forgotten");
      gone = 0;
      later(EVERY_MS);
    } catch (error) {
      if (!(error instanceof Transient)) log.warn({ err: error }, "old deliveries could not be forgotten");
      later(error instanceof Transient ? PAUSE_MS * 20 : EVERY_MS);
    }
  };
  prune();
  return { stop: () => clearTimeout(timer) };
}
