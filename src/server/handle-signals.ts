// SIGTERM and SIGINT exit at once while there is nothing to stop; later the first one stops it.

export type Signals = ReturnType<typeof handleSignals>;

/** Installs the handlers. Until `onStop` is called, a signal exits the process with 0. */
export function handleSignals() {
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
    /** The first signal calls `handler`, also one received before. Later signals do nothing. */
    onStop(handler: (signal: string) => void): void {
      stop = handler;
      if (first !== null) handler(first);
    },
  };
}
