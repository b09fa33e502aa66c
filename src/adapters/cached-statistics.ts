// Figures read a whole window, so repeated requests within minutes get the same ones.
import { LRUCache } from "lru-cache";
import type { RetrievalFigures } from "../domain/figures/retrieval-figures.ts";
import type { RetrievalStatistics } from "../ports/memory.ts";

/** Five minutes: figures of a day do not change visibly faster. */
const FIGURES_TTL_MS = 5 * 60_000;
/** Windows cached; the least recently requested one is dropped first. */
const MOST = 100;

/**
 * The same statistics, read at most every five minutes per window. A failed reading is not cached.
 *
 * @param now milliseconds of a monotonic clock
 */
export function cachedStatistics(inner: RetrievalStatistics, now: () => number): RetrievalStatistics {
  // An entry is stale once it is older than `ttl`.
  const kept = new LRUCache<string, Promise<RetrievalFigures>>({
    max: MOST,
    ttl: FIGURES_TTL_MS - 1,
    ttlResolution: 0,
    perf: { now },
  });
  return {
    read(window) {
      const key = JSON.stringify([window.ms, window.repo]);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const figures = inner.read(window);
      kept.set(key, figures);
      figures.catch(() => kept.peek(key) === figures && kept.delete(key));
      return figures;
    },
  };
}
