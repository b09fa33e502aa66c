// SIGTERM and SIGINT at any moment: before there is anything to stop, the process ends at once; later it is stopped once.

export interface Signals {
  /** True once one came. */
  readonly came: () => boolean;
  /** From now on the first signal calls `stop`, also when it came before. Further ones change nothing. */
  stopBy(stop: (signal: string) => void): void;
}

/** Heeds them from now on. Until `stopBy` is called, one ends the process with 0: nothing was begun. */
export function heedSignals(): Signals {
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
    came: () => first !== null,
    stopBy(by) {
      stop = by;
      if (first !== null) by(first);
    },
  };
}
