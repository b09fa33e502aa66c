// Embeddings by Voyage AI: made for code, and different for queries and documents.

import type { Embedder } from "../../ports/memory.ts";
import { type BatchLimits, type EmbeddingService, embedTexts } from "../embed-texts.ts";
import { EmbeddingAnswer } from "../service-call.ts";
import { type VoyageOptions, voyageCall, voyagePrice } from "./client.ts";

/**
 * The API reference (docs.voyageai.com/reference/embeddings-api) allows voyage-code-3 120,000 tokens a request; the SDK's own
 * documentation 128 texts, the reference 1,000. The current models have a context of 32,000 tokens, at which the API also cuts a
 * text.
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
    weight: 1,
    embed(texts, inputType) {
      const asked = { model, inputType, outputDimension: dimension, truncation: true };
      const ask: EmbeddingService["ask"] = async (batch, part) => {
        const input = [...batch];
        const { data, usage } = await call(
          EmbeddingAnswer,
          (client, request) => client.embed({ ...asked, input }, request),
          part,
        );
        return { rows: data ?? [], tokens: usage?.totalTokens };
      };
      return embedTexts({ ...service, ask }, texts);
    },
  };
}
