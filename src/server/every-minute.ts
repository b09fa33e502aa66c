// Something that is looked after as long as the server runs: at the start, every minute, and when somebody asks.

const ROUND_MS = 60_000;

export interface Rounds {
  /** Look now. */
  wake(): void;
  /** Resolves when the round that runs has ended. */
  stop(): Promise<void>;
}

/** @param round one round, which never rejects; rounds come one after the other */
export function everyMinute(round: () => Promise<void>): Rounds {
  let last = Promise.resolve();
  const wake = () => {
    last = last.then(round);
  };
  const timer = setInterval(wake, ROUND_MS);
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
