// From what a reranker said to an order in which nobody is lost.
import type { RerankCandidate, Reranked } from "../ports/memory.ts";

/**
 * @param named places in `candidates`, best first, each in range and at most once
 * @returns ids, at most topK: the named ones, then the others as given
 */
export function completeOrder(
  candidates: readonly RerankCandidate[],
  named: readonly number[],
  topK: number,
): readonly string[] {
  const seen = new Set(named);
  const others = candidates.map((_, place) => place).filter((place) => !seen.has(place));
  return [...named, ...others].slice(0, Math.max(0, topK)).map((place) => candidates[place]?.id ?? "");
}

/** The order as given, and why: `failed` is null when there was nothing to ask. */
export function unchangedOrder(
  candidates: readonly RerankCandidate[],
  topK: number,
  failed: string | null,
  spent: { readonly tokens: number; readonly usd: number; readonly ms: number } = { tokens: 0, usd: 0, ms: 0 },
): Reranked {
  return { order: completeOrder(candidates, [], topK), scores: new Map(), ...spent, failed };
}
