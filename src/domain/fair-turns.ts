/**
 * Runs one piece of work after the other, of each asker in turn, so that who asks much delays nobody who asks little; a failure
 * affects only its own.
 */
export function fairTurns(): <T>(asker: object, work: () => Promise<T>) => Promise<T> {
  /** The asker that was served last comes last. */
  const waiting = new Map<object, (() => Promise<void>)[]>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [asker, works] = next;
      await works.shift()?.();
      waiting.delete(asker);
      if (works.length > 0) waiting.set(asker, works);
    }
    isRunning = false;
  }

  return (asker, work) =>
    new Promise((resolve, reject) => {
      const works = waiting.get(asker) ?? [];
      waiting.set(asker, works);
      works.push(() => work().then(resolve, reject));
      if (!isRunning) void run();
    });
}
