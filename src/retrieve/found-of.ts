// What a search by hand found, with scores that people can compare: 0–1 whatever the method.
import type { Found } from "../domain/found.ts";
import type { Precedents } from "../domain/retrieval.ts";
import { RRF_K } from "./fuse.ts";
import { MOST_OUTCOME_WEIGHT } from "./outcome-weight.ts";
import { FRESH_BOOST } from "./recency.ts";

/**
 * @param precedents of askedByHand: fused by ranks, without a strategy, a language or a weight of sources
 * @param vectorWeight what the embedder's ranks count against words
 */
export function foundOf(text: string, precedents: Precedents, vectorWeight: number): Found {
  const { method } = precedents.provenance;
  const weights = method === "keyword" ? 1 : vectorWeight + 1;
  // First in each list, said today, with the outcome that weighs most.
  const most = method === "semantic" ? 1 : (weights / (RRF_K + 1)) * (1 + FRESH_BOOST) * MOST_OUTCOME_WEIGHT;
  const memories = precedents.ranked.map((memory) => ({
    memory,
    score: Math.min(1, Math.max(0, memory.score / most)),
    text,
  }));
  return { memories, precedents };
}
