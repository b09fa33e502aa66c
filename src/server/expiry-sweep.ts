// Removes what is kept no longer: at the start and once a day.
import type { Logger } from "pino";
import type { Store } from "../wire/store.ts";

const DAY_MS = 24 * 60 * 60_000;

export interface ExpirySweep {
  stop(): Promise<void>;
}

export function expirySweep({ expire }: Pick<Store, "expire">, log: Logger): ExpirySweep {
  const sweep = async () => {
    try {
      const gone = await expire(Date.now());
      if (gone > 0) log.info({ gone }, "what is kept no longer was removed");
    } catch (error) {
      log.warn({ err: error }, "what is kept no longer could not be removed; tomorrow it is tried again");
    }
  };
  let last = sweep();
  const timer = setInterval(() => {
    last = last.then(sweep);
  }, DAY_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}
