// Removes what is kept no longer: at the start and once a day, unless the clock cannot be right.
import type { Logger } from "pino";
import type { Store } from "../wire/store.ts";
import { DAY_MS, inRounds, type Rounds } from "./rounds.ts";

/** A store that was in use is not left alone for longer without somebody noticing; a clock that is wrong is off by more. */
const MOST_LEAP_MS = 7 * DAY_MS;

export interface ExpirySweep extends Rounds {
  /** Why nothing is removed, as a sentence; null when all is well. */
  held(): string | null;
}

/**
 * Where the clock shows a time more than seven days after the store was last in use, nothing is removed by this process: a machine
 * that starts with a wrong clock would delete what its users want to keep. Once its clock is right, or the store was in use
 * again, the next start goes on.
 */
export function expirySweep({ expire, signs }: Pick<Store, "expire" | "signs">, log: Logger): ExpirySweep {
  // As it was before this process wrote anything: what is written by a wrong clock proves nothing.
  let known: number | null = null;
  let held: string | null = null;
  const sweep = async () => {
    const now = Date.now();
    try {
      known ??= (await signs.lastUsed()) ?? now;
      held = now - known > MOST_LEAP_MS ? leapt(now, known) : null;
      if (held !== null) return log.error(held);
      const gone = await expire(now);
      known = now;
      if (gone > 0) log.info({ gone }, "what is kept no longer was removed");
    } catch (error) {
      log.warn({ err: error }, "what is kept no longer could not be removed; tomorrow it is tried again");
    }
  };
  return { ...inRounds(DAY_MS, sweep), held: () => held };
}

function leapt(now: number, known: number): string {
  const days = Math.floor((now - known) / DAY_MS);
  const [shown, used] = [now, known].map((at) => new Date(at).toISOString().slice(0, 10));
  return `nothing old is removed: the clock shows ${shown}, ${days} days after the store was last in use (${used}); set the clock, and start Kodiai again`;
}
