// A small language model as reranker: it sees all candidates of a query at once and names them in order.
import type { Purse } from "./purse.ts";
import type { AskOrder } from "./rerank-memories.ts";
import { rerankQuestion } from "./rerank-question.ts";

/** Asks once and never again: no candidate named, an error or silence leave the order as given, and say why. */
export function listwiseOrder({ ask }: Pick<Purse, "ask">): AskOrder {
  return async (query, candidates, topK) => {
    const wording = (delimiter: string) => rerankQuestion(query, candidates, topK, delimiter);
    const { value, failed, tokens, usd, ms } = await ask(null, wording);
    // A model gives no scores: its ranks stand for them, so that the pools of several queries can be joined.
    const named = (value ?? []).map((place, rank) => [candidates[place]?.id ?? "", 1 / (rank + 1)] as const);
    return { scores: new Map(named), tokens, usd, ms, failed };
  };
}
