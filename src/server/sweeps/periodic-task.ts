// A task that runs at the start, periodically, and on request, for as long as the server runs.

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

export interface PeriodicTask {
  wake(): void;
  /** Resolves when the current run, and one that was requested, have ended. */
  stop(): Promise<void>;
}

/**
 * @param afterMs from the end of a run to the next one
 * @param run never rejects; runs never overlap
 */
export function every(afterMs: number | (() => number), run: () => Promise<void>): PeriodicTask {
  let isWanted = false;
  let isStopped = false;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  const runWhileWanted = async () => {
    // Not at once: what the task uses may be defined after it.
    await Promise.resolve();
    while (isWanted) {
      isWanted = false;
      clearTimeout(timer);
      await run();
    }
    running = null;
    if (!isStopped) timer = setTimeout(wake, typeof afterMs === "number" ? afterMs : afterMs()).unref();
  };
  const wake = () => {
    isWanted = true;
    running ??= runWhileWanted();
  };
  wake();
  return {
    wake,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Wraps a function, which throws the signal's reason instead of running once it is aborted. */
export function unlessAborted(signal: AbortSignal) {
  return <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      signal.throwIfAborted();
      return work(...args);
    };
}
