// Something that is looked after as long as the server runs: at the start, every so often, and when somebody asks.

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

export interface Rounds {
  /** Look now. */
  wake(): void;
  /** Resolves when the round that runs has ended. */
  stop(): Promise<void>;
}

/** @param round one round, which never rejects; rounds come one after the other */
export function inRounds(everyMs: number, round: () => Promise<void>): Rounds {
  let last = Promise.resolve();
  const wake = () => {
    last = last.then(round);
  };
  const timer = setInterval(wake, everyMs);
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
