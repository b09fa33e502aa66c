// Figures are read from a whole window; whoever asks again within minutes is told the same ones.
import type { RetrievalFigures } from "../domain/figures/retrieval-figures.ts";
import type { RetrievalStatistics } from "../ports/memory.ts";

/** Five minutes: figures of a day do not change visibly faster. */
export const FIGURES_TTL_MS = 5 * 60_000;
/** Windows kept; the one kept longest goes first. */
const MOST = 100;

/**
 * The same statistics, read at most every five minutes a window. A reading that fails is not kept.
 *
 * @param now epoch milliseconds
 */
export function cachedStatistics(inner: RetrievalStatistics, now: () => number): RetrievalStatistics {
  const kept = new Map<string, { readonly at: number; readonly figures: Promise<RetrievalFigures> }>();
  return {
    read(window) {
      const key = JSON.stringify([window.ms, window.repo]);
      const known = kept.get(key);
      if (known !== undefined && now() - known.at < FIGURES_TTL_MS && now() >= known.at) return known.figures;
      const figures = inner.read(window);
      kept.delete(key);
      kept.set(key, { at: now(), figures });
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST) break;
        kept.delete(oldest);
      }
      figures.catch(() => {
        if (kept.get(key)?.figures === figures) kept.delete(key);
      });
      return figures;
    },
  };
}
