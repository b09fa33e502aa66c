// Reranking by Voyage AI: a cross-encoder reads the query and each candidate together.
import { cutText } from "../../domain/text/cut-text.ts";
import type { Reranked, Reranker } from "../../ports/memory.ts";
import { completeOrder, unchangedOrder } from "../complete-order.ts";
import { ServiceFailed } from "../service-failed.ts";
import { type VoyageOptions, voyageCall } from "./client.ts";
import { voyagePrice } from "./prices.ts";

export interface VoyageRerankerOptions extends VoyageOptions {
  readonly model?: string;
}

/**
 * The API reference (docs.voyageai.com/reference/reranker-api) allows rerank-2.5 tokens of the query × documents +
 * tokens of all documents ≤ 600,000. At 3.5 characters a token these come to 457,000.
 */
const MAX_DOCUMENTS = 200;
const MAX_QUERY_CHARS = 4_000;
const MAX_DOCUMENT_CHARS = 4_000;

interface Scored {
  readonly place: number;
  readonly score: number;
}

/** A `Reranker` over the Voyage API, tried once: a retry would cost more time than a better order is worth. */
export function voyageReranker(options: VoyageRerankerOptions): Reranker {
  const model = options.model ?? "rerank-2.5";
  const call = voyageCall({ ...options, limits: { ...options.limits, retries: 0 } });
  const usdPerToken = voyagePrice(model) / 1_000_000;

  async function score(query: string, documents: readonly string[]): Promise<{ scored: Scored[]; tokens: number }> {
    const { rows, tokens } = await call((client, request) =>
      client.rerank(
        { query: cut(query, MAX_QUERY_CHARS), documents: [...documents], model, truncation: true },
        request,
      ),
    );
    const isCount = typeof tokens === "number" && Number.isFinite(tokens) && tokens > 0;
    return { scored: readScores(rows, documents.length), tokens: isCount ? tokens : 0 };
  }

  return {
    name: model,
    async rerank(query, candidates, topK): Promise<Reranked> {
      if (candidates.length <= topK) return unchangedOrder(candidates, topK, null);
      const start = options.now();
      try {
        const documents = candidates.slice(0, MAX_DOCUMENTS).map(({ text }) => cut(text, MAX_DOCUMENT_CHARS));
        const { scored, tokens } = await score(query, documents);
        const spent = { tokens, usd: tokens * usdPerToken, ms: options.now() - start };
        if (scored.length === 0) return unchangedOrder(candidates, topK, "the answer names no candidate", spent);
        const order = completeOrder(
          candidates,
          scored.map(({ place }) => place),
          topK,
        );
        const scores = new Map(scored.map(({ place, score }) => [candidates[place]?.id ?? "", score]));
        return { order, scores, ...spent, failed: null };
      } catch (error) {
        const reason = error instanceof ServiceFailed ? error.message : "the reranker failed";
        return unchangedOrder(candidates, topK, reason, { tokens: 0, usd: 0, ms: options.now() - start });
      }
    },
  };
}

/** Best first; of rows that name nobody, somebody twice or no finite score nothing is kept. */
function readScores(rows: readonly unknown[], count: number): Scored[] {
  const scores = new Map<number, number>();
  for (const row of rows) {
    if (typeof row !== "object" || row === null) continue;
    const { index, relevance_score: score } = row as { readonly index?: unknown; readonly relevance_score?: unknown };
    if (!isPlace(index, count) || typeof score !== "number" || !Number.isFinite(score)) continue;
    if (!scores.has(index)) scores.set(index, score);
  }
  return [...scores].map(([place, score]) => ({ place, score })).sort((a, b) => b.score - a.score || a.place - b.place);
}

function isPlace(index: unknown, count: number): index is number {
  return typeof index === "number" && Number.isInteger(index) && index >= 0 && index < count;
}

/** A service refuses empty strings, and a cut may part a surrogate pair. */
function cut(text: string, chars: number): string {
  const whole = cutText(text, chars).toWellFormed();
  return whole.trim() === "" ? "-" : whole;
}
