// Long work of the main thread in steps: between two of them whoever else waits (a webhook, another review) has a turn.

/** Work that stops after each step; what it returns is the result. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** All steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * One step after another, with a pause between.
 *
 * @param pause settles when the others had their turn; null does all at once
 */
export async function inTurns<T>(steps: Steps<T>, pause: (() => Promise<void>) | null): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pause?.();
  }
}

/** Of each item, in pieces of so many. */
export function* eachOf<T, R>(items: readonly T[], piece: number, work: (item: T, at: number) => R): Steps<R[]> {
  const done: R[] = [];
  for (const [at, item] of items.entries()) {
    if (at % piece === piece - 1) yield;
    done.push(work(item, at));
  }
  return done;
}
