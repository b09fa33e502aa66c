// Several queries at once, each with its own candidates.
import type { RerankCandidate, Reranked, Reranker } from "../ports-memory.ts";
import { unchangedOrder } from "./complete-order.ts";

export interface RerankRequest {
  readonly query: string;
  readonly candidates: readonly RerankCandidate[];
  readonly topK: number;
}

/** All side by side, the answers in the order of the requests; one that fails leaves the others alone. Never throws. */
export function rerankBatch(reranker: Reranker, requests: readonly RerankRequest[]): Promise<readonly Reranked[]> {
  return Promise.all(
    requests.map(async ({ query, candidates, topK }) => {
      try {
        return await reranker.rerank(query, candidates, topK);
      } catch {
        return unchangedOrder(candidates, topK, "the reranker failed");
      }
    }),
  );
}
