// Removes what is kept no longer: at the start and once a day.
import type { Logger } from "pino";
import type { Store } from "../wire/store.ts";
import { DAY_MS, inRounds, type Rounds } from "./rounds.ts";

export function expirySweep({ expire }: Pick<Store, "expire">, log: Logger): Rounds {
  const sweep = async () => {
    try {
      const gone = await expire(Date.now());
      if (gone > 0) log.info({ gone }, "what is kept no longer was removed");
    } catch (error) {
      log.warn({ err: error }, "what is kept no longer could not be removed; tomorrow it is tried again");
    }
  };
  return inRounds(DAY_MS, sweep);
}
