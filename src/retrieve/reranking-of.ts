// Who puts what was found in a better order: the server's reranker, a language model, or nobody.
import type { Knowledge } from "../config/knowledge.ts";
import type { Strategy } from "../domain/retrieval.ts";
import type { Attempts } from "./attempts.ts";
import { listwiseOrder } from "./listwise-order.ts";
import { NO_MODEL, type Purse } from "./purse.ts";
import type { AskOrder, Reranking, RerankTuning } from "./rerank-memories.ts";

/** Who could be asked. */
export interface Rerankers {
  /** The server's own; null without one. */
  readonly reranker: { readonly name: string; readonly rerank: AskOrder } | null;
  readonly purse: Purse;
  readonly tuning: RerankTuning;
}

/** As the repository wants it; null leaves the order as ranked. A model that is wanted and not there is noted in `tries`. */
export function rerankingOf(
  { rerank, topK }: Pick<Knowledge["retrieval"], "rerank" | "topK">,
  strategy: Strategy | null,
  { reranker, purse, tuning }: Rerankers,
  tries: Pick<Attempts, "note">,
): Reranking | null {
  const rest = { topK, strategy, tuning };
  if (rerank === "off") return null;
  if (rerank === "auto") return reranker === null ? null : { by: reranker.name, ask: reranker.rerank, ...rest };
  if (purse.name !== null) return { by: purse.name, ask: listwiseOrder(purse), ...rest };
  tries.note("rerank", purse.reason ?? NO_MODEL);
  return null;
}
