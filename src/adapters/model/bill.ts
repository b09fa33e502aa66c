// The cost of one question, all of its requests together.
import type { ModelUsage } from "../../domain/model.ts";
import type { ModelFacts, PaidTokens } from "./model-facts.ts";

export interface Bill {
  /** A request is sent. */
  request(): void;
  paid(tokens: PaidTokens): void;
  usage(): ModelUsage;
}

/** @param now epoch milliseconds; the bill's wall time begins here */
export function newBill(facts: ModelFacts, now: () => number): Bill {
  const start = now();
  let requests = 0;
  let usd = facts.price({ fresh: 0, cacheWrite: 0, cacheRead: 0, output: 0 });
  const sum = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  return {
    request() {
      requests++;
    },
    paid(tokens) {
      sum.inputTokens += tokens.fresh + tokens.cacheWrite + tokens.cacheRead;
      sum.cachedTokens += tokens.cacheRead;
      sum.outputTokens += tokens.output;
      const more = facts.price(tokens);
      usd = usd === null || more === null ? null : usd + more;
    },
    usage: () => ({ ...sum, usd, ms: now() - start, requests }),
  };
}
