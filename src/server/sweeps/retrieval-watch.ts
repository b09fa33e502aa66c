// Warns the operator when retrieval becomes slow, expensive or poor: once per change of the alerts, not with every review.
import { type RetrievalAlert, retrievalAlerts } from "../../domain/figures/retrieval-figures.ts";
import type { RetrievalStatistics } from "../../ports/memory.ts";

const DAY_MS = 24 * 60 * 60_000;

/**
 * @param warn called with all alerts of the last day when they changed; never with an empty list
 * @returns call it after each review. Never rejects: unreadable statistics raise no alert
 */
export function retrievalWatch(
  statistics: RetrievalStatistics,
  warn: (alerts: readonly RetrievalAlert[]) => void,
): () => Promise<void> {
  let last = "";
  return async () => {
    const figures = await statistics.read({ ms: DAY_MS, repo: null }).catch(() => null);
    if (figures === null) return;
    const alerts = retrievalAlerts(figures);
    const names = alerts.map(({ name }) => name).join();
    if (names !== last && alerts.length > 0) warn(alerts);
    last = names;
  };
}
