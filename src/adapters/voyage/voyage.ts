// The Voyage SDK with its waits, retries, logs and environment variables turned off. The generated
// client is used, because the extended one downloads models from a hub for some model names.

import { GeneratedVoyageAIClient, type RerankResponseDataItem } from "voyageai";
import type { z } from "zod";
import type { Reranked } from "../../domain/retrieval.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import type { Embedder, Reranker } from "../../ports/memory.ts";
import { type BatchLimits, type EmbeddingService, embedTexts, UNMEASURED } from "../embed-texts.ts";
import {
  EmbeddingAnswer,
  type Fetch,
  postToService,
  RerankAnswer,
  readAnswer,
  type ServiceCall,
  type ServiceLimits,
  serviceCall,
} from "../service-call.ts";
import { ServiceFailed } from "../service-failed.ts";

interface VoyageOptions {
  readonly apiKey: string;
  /** With `/v1`; for keys of MongoDB Atlas `https://ai.mongodb.com/v1`. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Other than the documented ones. */
  readonly limits: Partial<ServiceLimits>;
}

/**
 * Calls the SDK with retries. Throws only `ServiceFailed`. Checks an answer's form before: the SDK
 * does not, and prints unexpected values to the console whatever its settings. It is slow: .3 s for
 * 128 vectors of 1,024 numbers.
 */
type VoyageCall = <T>(
  form: z.ZodType,
  ask: (client: GeneratedVoyageAIClient, request: GeneratedVoyageAIClient.RequestOptions) => Promise<T>,
  part?: Parameters<ServiceCall>[1],
) => Promise<T>;

export const VOYAGE_URL = "https://api.voyageai.com/v1";

/** One for each use and process, because its circuit breaker has state. */
function voyageCall(options: VoyageOptions): VoyageCall {
  const call = serviceCall(options.limits, options.now);
  return (form, ask, part) =>
    call(async (signal) => {
      // The SDK keeps only the message of a failed fetch, so the failure itself is caught before.
      let failure: unknown = new ServiceFailed("the request could not be made; check the key and the address");
      const client = new GeneratedVoyageAIClient({
        apiKey: options.apiKey,
        baseUrl: options.baseUrl,
        maxRetries: 0,
        logging: { silent: true },
        fetch: async (url, init) => {
          try {
            const headers = Object.fromEntries(new Headers(init?.headers));
            const question = { url: String(url), headers, body: String(init?.body), signal };
            const text = await postToService(options, question);
            return new Response(JSON.stringify(readAnswer(form, text)));
          } catch (error) {
            failure = error;
            throw error;
          }
        },
      });
      try {
        return await ask(client, { abortSignal: signal });
      } catch {
        throw failure;
      }
    }, part);
}

/**
 * US$ for a million tokens, beyond the free allowance of an account, as of 2026-11-21
 * (docs.voyageai.com/docs/pricing). Change the day together with the prices.
 */
const USD_PER_MILLION = new Map([
  ["voyage-code-3", 0.18],
  ["voyage-context-3", 0.18],
  ["voyage-4-large", 0.12],
  ["voyage-4", 0.06],
  ["voyage-4-lite", 0.02],
  ["rerank-2.5", 0.05],
  ["rerank-2.5-lite", 0.02],
]);

/** 0 for an unknown model: its tokens are still counted. */
function voyagePrice(model: string): number {
  return USD_PER_MILLION.get(model) ?? 0;
}

/**
 * The API reference (docs.voyageai.com/reference/embeddings-api) allows voyage-code-3 120,000
 * tokens a request; the SDK's own documentation 128 texts, the reference 1,000. The current models
 * have a context of 32,000 tokens, at which the API also cuts a text.
 */
const LIMITS: BatchLimits = { maxTexts: 128, maxTokens: 120_000, maxTextChars: 128_000 };

/** Cosine distance under which a neural embedder's neighbour counts as relevant. */
const THRESHOLD = 0.3;

/**
 * An `Embedder` over the Voyage API. Create one per process: its circuit breaker has state.
 *
 * @param options a dimension of 256, 512, 1024 or 2048 for voyage-code-3
 */
export function voyageEmbedder(
  options: VoyageOptions & { readonly model?: string; readonly dimension?: number },
): Embedder {
  const { model = "voyage-code-3", dimension = 1024 } = options;
  const call = voyageCall(options);
  const service = { limits: LIMITS, dimension, isFixed: true, usdPerMillionTokens: voyagePrice(model) };
  return {
    space: { model, dimension },
    threshold: THRESHOLD,
    ...UNMEASURED,
    weight: 1,
    embed(texts, inputType) {
      const fixed = { model, inputType, outputDimension: dimension, truncation: true };
      const ask: EmbeddingService["ask"] = async (batch, part) => {
        const input = [...batch];
        const { data, usage } = await call(
          EmbeddingAnswer,
          (client, request) => client.embed({ ...fixed, input }, request),
          part,
        );
        return { rows: data ?? [], tokens: usage?.totalTokens };
      };
      return embedTexts({ ...service, ask }, texts);
    },
  };
}

/**
 * rerank-2.5 takes 600,000 tokens of query × documents + documents
 * (docs.voyageai.com/reference/reranker-api). At 3.5 characters a token these are 457,000.
 */
const MAX_DOCUMENTS = 200;
const MAX_QUERY_CHARS = 4_000;
const MAX_DOCUMENT_CHARS = 4_000;

/** A `Reranker` over the Voyage API. One attempt: a better order is not worth a retry. */
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
        const question = { query: cut(query, MAX_QUERY_CHARS), documents, model, truncation: true };
        const { data = [], usage } = await call(RerankAnswer, (client, request) => client.rerank(question, request));
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

/** By id, best first. Ignores rows without a score, of no candidate, or of one twice. */
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
