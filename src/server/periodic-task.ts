// A task that runs at the start, periodically, and on request, for as long as the server runs.

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

export interface PeriodicTask {
  /** Runs it now. */
  wake(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** @param run never rejects; runs never overlap */
export function every(everyMs: number, run: () => Promise<void>): PeriodicTask {
  let last = Promise.resolve();
  const wake = () => {
    last = last.then(run);
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
