// SIGTERM and SIGINT: the process exits at once while there is nothing to stop; later the first signal stops it.

export interface Signals {
  /** True after the first signal. */
  readonly received: () => boolean;
  /** The first signal calls `stop`, also when it was received before. Later signals do nothing. */
  onStop(stop: (signal: string) => void): void;
}

/** Installs the handlers. Until `onStop` is called, a signal exits the process with 0. */
export function handleSignals(): Signals {
  let first: string | null = null;
  let stop: ((signal: string) => void) | null = null;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (first !== null) return;
      first = signal;
      if (stop === null) process.exit(0);
      stop(signal);
    });
  }
  return {
    received: () => first !== null,
    onStop(handler) {
      stop = handler;
      if (first !== null) handler(first);
    },
  };
}
