// Embeddings by an OpenAI-compatible server: Ollama, vLLM, LM Studio, llama.cpp and others.

import { apiBase } from "../../config/environment/server-address.ts";
import type { Embedder } from "../../ports/memory.ts";
import { type BatchLimits, type EmbeddingService, embedTexts, UNMEASURED } from "../embed-texts.ts";
import {
  EmbeddingAnswer,
  type Fetch,
  postToService,
  readAnswer,
  type ServiceLimits,
  serviceCall,
} from "../service-call.ts";

interface HttpEmbedderOptions {
  /** As people write it; see apiBase. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as a bearer token; null for local servers, which need none. */
  readonly apiKey: string | null;
  /** The length of every vector; null: that of the first answer. Not sent: few servers take it. */
  readonly dimension: number | null;
  readonly fetch: Fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Other than the documented ones. */
  readonly limits: Partial<ServiceLimits>;
}

/** A cosine distance that is common for neural embedders, calibrated for none. */
const THRESHOLD = 0.3;

/**
 * text-embeddings-inference takes 32 inputs and 16,384 tokens a request by default (its
 * `--max-client-batch-size` and `--max-batch-tokens`); the others take more. A text is cut at about
 * 8,000 tokens, the longest context of the usual models.
 */
const BATCH: BatchLimits = { maxTexts: 32, maxTokens: 16_000, maxTextChars: 28_000 };

/** An `Embedder` over `POST {baseUrl}/embeddings`. One per process: it has state. */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { model } = options;
  const call = serviceCall(options.limits, options.now);
  const url = `${apiBase(options.baseUrl)}/embeddings`;
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    ...(options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` }),
  };
  const service: EmbeddingService = {
    limits: BATCH,
    dimension: options.dimension,
    isFixed: options.dimension !== null,
    usdPerMillionTokens: 0,
    ask: (input, part) =>
      call(async (signal) => {
        const question = { url, headers, body: JSON.stringify({ model, input }), signal };
        const { data, usage } = readAnswer(EmbeddingAnswer, await postToService(options, question));
        return { rows: data, tokens: usage?.total_tokens };
      }, part),
  };

  return {
    get space() {
      return { model, dimension: service.dimension ?? 0 };
    },
    threshold: THRESHOLD,
    ...UNMEASURED,
    weight: 1,
    // These servers do not distinguish queries from documents.
    embed: (texts) => embedTexts(service, texts),
  };
}
