// Tells the operator when retrieval becomes slow, dear or poor: once each time that the alerts change, not with every review.
import { type RetrievalAlert, retrievalAlerts } from "../domain/figures/retrieval-alerts.ts";
import type { RetrievalStatistics } from "../ports/memory.ts";

const DAY_MS = 24 * 60 * 60_000;

/**
 * @param tell given all alerts of the last day when there are others than before; never an empty list
 * @returns what to call when a review ended. Never rejects: figures that cannot be read alert nobody
 */
export function retrievalWatch(
  statistics: RetrievalStatistics,
  tell: (alerts: readonly RetrievalAlert[]) => void,
): () => Promise<void> {
  let told = "";
  return async () => {
    const figures = await statistics.read({ ms: DAY_MS, repo: null }).catch(() => null);
    if (figures === null) return;
    const alerts = retrievalAlerts(figures);
    const names = alerts.map(({ name }) => name).join();
    if (names !== told && alerts.length > 0) tell(alerts);
    told = names;
  };
}
