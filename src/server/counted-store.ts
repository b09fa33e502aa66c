// Wraps the store and counts searches, model requests and outcomes for /metrics.
import type { EvidenceStore } from "../ports/feedback.ts";
import type { Store } from "../wire/store.ts";
import type { Metrics } from "./metrics.ts";

type Counted = Pick<Metrics, "retrieved" | "asked" | "decided">;

/** The same store, which reports searches, model requests and changed outcomes to `metrics`. */
export function countedStore(store: Store, metrics: Counted): Store {
  const { retrievals, spending, evidence } = store;
  return {
    ...store,
    retrievals: {
      async write(entry) {
        metrics.retrieved(entry);
        await retrievals.write(entry);
      },
    },
    spending: {
      ...spending,
      record(repo, at, purpose, usage, held) {
        metrics.asked(purpose, usage);
        return spending.record(repo, at, purpose, usage, held);
      },
    },
    evidence: { ...evidence, decide: countedDecisions(evidence, metrics) },
  };
}

/** Decides one outcome at a time, because the store returns only how many changed. */
function countedDecisions(evidence: EvidenceStore, metrics: Pick<Counted, "decided">): EvidenceStore["decide"] {
  return async (repo, decisions) => {
    let all = 0;
    for (const [outcome, group] of Map.groupBy(decisions, (one) => one.outcome)) {
      const changed = await evidence.decide(repo, group);
      metrics.decided(outcome, changed);
      all += changed;
    }
    return all;
  };
}
