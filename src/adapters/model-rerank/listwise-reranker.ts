// A small language model as reranker: it sees all candidates at once and writes their numbers in order.
import { TaskCancelledError, TimeoutStrategy, timeout } from "cockatiel";
import type { Reranked, Reranker } from "../../ports-memory.ts";
import { completeOrder, unchangedOrder } from "../complete-order.ts";
import { parseOrder } from "./parse-order.ts";
import { rerankPrompt } from "./rerank-prompt.ts";

/** Asks a model for at most `maxTokens` tokens, at temperature 0 where its server takes one. May reject. */
export type Ask = (
  prompt: string,
  maxTokens: number,
) => Promise<{ readonly text: string; readonly inputTokens: number; readonly outputTokens: number }>;

export interface ListwiseOptions {
  /** The model's. */
  readonly name?: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How long the model may take; its own client should give up earlier. */
  readonly limitMs?: number;
  /** US$ for a million tokens. */
  readonly prices?: { readonly input: number; readonly output: number };
}

/** A few numbers need few tokens, but some models think first and count that as well. */
const MAX_TOKENS = 1_000;
/** What a small model cost when listwise reranking was planned; the caller knows its model better. */
const PRICES = { input: 0.25, output: 1.25 };
const LIMIT_MS = 15_000;

/** A `Reranker` that asks once and never again: no candidate named, an error or silence leave the order as given. */
export function listwiseReranker(ask: Ask, options: ListwiseOptions): Reranker {
  const { now, limitMs = LIMIT_MS, prices = PRICES } = options;
  const deadline = timeout(limitMs, TimeoutStrategy.Aggressive);

  return {
    name: options.name ?? "listwise",
    async rerank(query, candidates, topK): Promise<Reranked> {
      if (candidates.length <= topK) return unchangedOrder(candidates, topK, null);
      const start = now();
      try {
        const reply = await deadline.execute(() => ask(rerankPrompt(query, candidates, topK), MAX_TOKENS));
        const [input, output] = [counted(reply.inputTokens), counted(reply.outputTokens)];
        const usd = (input * prices.input + output * prices.output) / 1_000_000;
        const spent = { tokens: input + output, usd, ms: now() - start };
        const named = parseOrder(reply.text, candidates.length);
        if (named.length === 0) return unchangedOrder(candidates, topK, "the model named no candidate", spent);
        // A model gives no scores: its ranks stand for them, so that the pools of several queries can be joined.
        const scores = new Map(named.map((place, rank) => [candidates[place]?.id ?? "", 1 / (rank + 1)]));
        return { order: completeOrder(candidates, named, topK), scores, ...spent, failed: null };
      } catch (error) {
        const isLate = error instanceof TaskCancelledError;
        const reason = isLate ? `the model did not answer within ${limitMs} ms` : "the model failed";
        return unchangedOrder(candidates, topK, reason, { tokens: 0, usd: 0, ms: now() - start });
      }
    },
  };
}

function counted(tokens: unknown): number {
  return typeof tokens === "number" && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}
