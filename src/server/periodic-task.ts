// A task that runs at the start, periodically, and on request, for as long as the server runs.

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

export interface PeriodicTask {
  wake(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** @param run never rejects; runs never overlap: a time that comes during a run is passed over, a request is run after it */
export function every(everyMs: number, run: () => Promise<void>): PeriodicTask {
  let last = Promise.resolve();
  let wanted = 0;
  const wake = () => {
    wanted += 1;
    last = last.then(run).finally(() => {
      wanted -= 1;
    });
  };
  const timer = setInterval(() => {
    if (wanted === 0) wake();
  }, everyMs);
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
