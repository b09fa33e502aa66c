// Whether time grows with size: the processor time of one input and of one twice as large. Seconds
// decide nothing, only their ratio, and the best of several tries, so that a busy machine changes
// nothing.

/**
 * Twice the size may take so many times as long: linear steps measured up to 2.3, by the collector
 * of garbage and by caches.
 */
export const MOST_GROWTH = 2.6;
/** Processor milliseconds below which a measurement is noise. */
const FLOOR_MS = 20;
const PAIRS = 5;

/** Prepares an input of a size; what it returns is measured. */
export type Sized = (size: number) => () => unknown;

export interface Growth {
  /** Of the time of twice `size`; 0 where even the largest input takes less than the floor. */
  readonly ratio: number;
  /** The smallest size that takes longer than the floor. */
  readonly size: number;
  /** Processor milliseconds at `size`. */
  readonly ms: number;
}

/** Processor milliseconds after which no larger size is needed to tell. */
const ENOUGH_MS = 1_000;

/**
 * Doubles an input until it takes long enough to be measured, then once more. What grows faster is
 * measured at larger sizes too: a collection of garbage or a cache may add a step at some, and what
 * is not linear grows at each.
 *
 * @param from the first size
 * @param to the last size that is doubled, but for further looks
 */
export async function growthOf(sized: Sized, from: number, to: number): Promise<Growth> {
  // Compiles.
  await least(sized(from), 2);
  let seen: Growth | null = null;
  for (let size = from; size <= to || (seen !== null && size <= 8 * to); size *= 2) {
    const once = sized(size);
    let ms = await least(once, 1);
    if (ms < FLOOR_MS) continue;
    const twice = sized(2 * size);
    let ratio = Number.POSITIVE_INFINITY;
    for (let pair = 0; pair < PAIRS && ratio > MOST_GROWTH; pair++) {
      ms = Math.min(ms, await least(once, 2));
      ratio = Math.min(ratio, (await least(twice, 2)) / ms);
    }
    if (ms < FLOOR_MS) continue;
    const found = { ratio, size, ms };
    if (ratio <= MOST_GROWTH || ms > ENOUGH_MS) return found;
    seen = found;
  }
  return seen ?? { ratio: 0, size: to, ms: 0 };
}

async function least(run: () => unknown, runs: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let at = 0; at < runs; at++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
