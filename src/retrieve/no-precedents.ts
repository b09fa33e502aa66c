// Precedents that stay away: the gate skipped, retrieval is switched off or failed, or a skip was searched only to learn.
import type { Knowledge } from "../config/knowledge.ts";
import { type GateDecision, NO_USAGE, type Precedents, SHADOW_SAMPLE } from "../domain/retrieval.ts";
import { configuredThreshold } from "./threshold.ts";

/** An empty list with the decision that led to it. */
export function noPrecedents(gate: GateDecision, retrieval: Knowledge["retrieval"]): Precedents {
  const { method } = retrieval;
  const threshold = configuredThreshold(retrieval, null);
  const searched = { repoSources: [], sharedPoolUsed: false, totalCandidates: 0 };
  return {
    kind: "precedents",
    gate,
    query: null,
    ranked: [],
    seenBefore: [],
    cut: [],
    provenance: { ...searched, threshold, thresholdMethod: "configured", method },
    usage: NO_USAGE,
    rerank: null,
    degraded: [],
  };
}

/** The decision of a configuration that searches nothing. */
export function switchedOff(): GateDecision {
  const reason = "knowledge.retrieval.enabled is false";
  return {
    retrieve: false,
    confidence: 1,
    reason,
    strategy: null,
    estimatedRelevance: null,
    decidedBy: "configuration",
  };
}

/** The decision where there is no memory at all. */
export function withoutMemory(reason: string): GateDecision {
  return { ...switchedOff(), reason, decidedBy: "memory" };
}

/** What a searched skip hands on: nothing for the prompt, and what would have been used among what was cut. */
export function shadowed(found: Precedents): Precedents {
  const reason = `${SHADOW_SAMPLE}: would have been used, had the gate (${found.gate.decidedBy}) not skipped`;
  return {
    ...found,
    ranked: [],
    cut: [...found.ranked.map(({ record }) => ({ id: record.id, reason })), ...found.cut],
  };
}
