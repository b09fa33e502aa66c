// Reranking by Voyage AI: a cross-encoder reads the query and each candidate together.

import type { RerankResponseDataItem } from "voyageai";
import type { Reranked } from "../../domain/retrieval.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import type { Reranker } from "../../ports/memory.ts";
import { RerankAnswer } from "../service-call.ts";
import { ServiceFailed } from "../service-failed.ts";
import { type VoyageOptions, voyageCall, voyagePrice } from "./client.ts";

/**
 * The API reference (docs.voyageai.com/reference/reranker-api) allows rerank-2.5 tokens of the query × documents + tokens of all
 * documents ≤ 600,000. At 3.5 characters a token these limits come to 457,000.
 */
const MAX_DOCUMENTS = 200;
const MAX_QUERY_CHARS = 4_000;
const MAX_DOCUMENT_CHARS = 4_000;

/** A `Reranker` over the Voyage API, with one attempt: a retry would cost more time than a better order is worth. */
export function voyageReranker(options: VoyageOptions & { readonly model?: string }): Reranker {
  const model = options.model ?? "rerank-2.5";
  const call = voyageCall({ ...options, limits: { ...options.limits, retries: 0 } });
  const usdPerToken = voyagePrice(model) / 1_000_000;

  return {
    name: model,
    async rerank(query, candidates, topK): Promise<Reranked> {
      if (candidates.length <= topK) return { ...NOTHING, failed: null };
      const start = options.now();
      try {
        const sent = candidates.slice(0, MAX_DOCUMENTS);
        const documents = sent.map(({ text }) => cut(text, MAX_DOCUMENT_CHARS));
        const asked = { query: cut(query, MAX_QUERY_CHARS), documents, model, truncation: true };
        const { data = [], usage } = await call(RerankAnswer, (client, request) => client.rerank(asked, request));
        const tokens = Math.max(0, usage?.totalTokens ?? 0);
        const spent = { tokens, usd: tokens * usdPerToken, ms: options.now() - start };
        const scores = readScores(data, sent);
        return { scores, ...spent, failed: scores.size === 0 ? "the answer names no candidate" : null };
      } catch (error) {
        const reason = error instanceof ServiceFailed ? error.message : "the reranker failed";
        return { ...NOTHING, ms: options.now() - start, failed: reason };
      }
    },
  };
}

/** By id, best first. Rows without a score, of no candidate or of one that already has a score are ignored. */
function readScores(
  rows: readonly RerankResponseDataItem[],
  candidates: readonly { readonly id: string }[],
): ReadonlyMap<string, number> {
  const scores = new Map<number, number>();
  for (const { index = -1, relevanceScore } of rows) {
    const isPlace = candidates[index] !== undefined;
    if (isPlace && relevanceScore !== undefined && !scores.has(index)) scores.set(index, relevanceScore);
  }
  const sorted = [...scores].sort(([place, score], [other, second]) => second - score || place - other);
  return new Map(sorted.map(([place, score]) => [candidates[place]?.id ?? "", score]));
}

const NOTHING = { scores: new Map<string, number>(), tokens: 0, usd: 0, ms: 0 };

/** A service refuses empty strings, and a cut may split a surrogate pair. */
function cut(text: string, chars: number): string {
  const whole = cutText(text, chars).toWellFormed();
  return whole.trim() === "" ? "-" : whole;
}
