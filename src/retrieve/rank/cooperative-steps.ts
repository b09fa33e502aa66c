// Splits long work of the main thread into steps, so that other work (a webhook, another review) can run between them.

/** Work that pauses after each step and returns its result. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps without a pause. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Runs the steps with a pause between them.
 *
 * @param pause settles when other work has run; null runs without pauses
 */
export async function runCooperatively<T>(steps: Steps<T>, pause: (() => Promise<void>) | null): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pause?.();
  }
}

/** Maps items, with a pause after every `piece` of them. */
export function* eachOf<T, R>(items: readonly T[], piece: number, work: (item: T, at: number) => R): Steps<R[]> {
  const done: R[] = [];
  for (const [at, item] of items.entries()) {
    if (at % piece === piece - 1) yield;
    done.push(work(item, at));
  }
  return done;
}
