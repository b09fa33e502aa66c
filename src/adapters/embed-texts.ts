// The part of embedding that is the same for every service: distinct texts, batches, checked vectors, cost.
import { cutText } from "../domain/text/cut-text.ts";
import type { Embedded } from "../ports/memory.ts";
import { type BatchLimits, embeddingBatches, estimateTokens } from "./embedding-batches.ts";
import type { ListAnswer } from "./list-answer.ts";
import { readVectors } from "./read-vectors.ts";
import { ServiceFailed } from "./service-failed.ts";

export interface EmbeddingService {
  readonly limits: BatchLimits;
  /** What every vector must have; null until the first good vector has shown it. */
  dimension: number | null;
  readonly usdPerMillionTokens: number;
  /** Throws `ServiceFailed` only. */
  ask(texts: readonly string[]): Promise<ListAnswer>;
}

interface Batch {
  readonly vectors: readonly (Float32Array | null)[];
  readonly tokens: number;
  readonly problem: string | null;
}

/**
 * Each distinct text goes out once, one request after the other. Blank texts go nowhere and have no vector. A batch that
 * the service refuses is tried once more in two halves, as the count of tokens is only estimated.
 */
export async function embedTexts(service: EmbeddingService, texts: readonly string[]): Promise<Embedded> {
  const prepared = texts.map((text) => cutText(text, service.limits.maxTextChars).toWellFormed());
  const distinct = [...new Set(prepared)].filter((text) => text.trim() !== "");
  const found = new Map<string, Float32Array>();
  const problems: string[] = [];
  let tokens = 0;
  for (const texts of embeddingBatches(distinct, service.limits)) {
    const batch = await embedBatch(service, texts, true);
    tokens += batch.tokens;
    if (batch.problem !== null) problems.push(batch.problem);
    batch.vectors.forEach((vector, index) => {
      if (vector !== null) found.set(texts[index] ?? "", vector);
    });
  }
  // Copies, since a caller may hand a vector's memory to another thread and two texts may be the same.
  const vectors = prepared.map((text) => found.get(text)?.slice() ?? null);
  const usd = (tokens / 1_000_000) * service.usdPerMillionTokens;
  return { vectors, tokens, usd, cached: 0, failed: failedText(vectors, problems[0] ?? "a text is blank") };
}

async function embedBatch(service: EmbeddingService, texts: readonly string[], mayHalve: boolean): Promise<Batch> {
  try {
    const answer = await service.ask(texts);
    const { vectors, problem } = readVectors(answer.rows, texts.length, service.dimension);
    service.dimension ??= vectors.find((vector) => vector !== null)?.length ?? null;
    return { vectors, tokens: countedTokens(answer.tokens, texts), problem };
  } catch (error) {
    if (!(error instanceof ServiceFailed)) throw error;
    if (!mayHalve || !error.refused || texts.length < 2) {
      return { vectors: texts.map(() => null), tokens: 0, problem: error.message };
    }
    const middle = Math.ceil(texts.length / 2);
    const left = await embedBatch(service, texts.slice(0, middle), false);
    const right = await embedBatch(service, texts.slice(middle), false);
    return {
      vectors: [...left.vectors, ...right.vectors],
      tokens: left.tokens + right.tokens,
      problem: left.problem ?? right.problem,
    };
  }
}

function countedTokens(counted: unknown, texts: readonly string[]): number {
  if (typeof counted === "number" && Number.isFinite(counted) && counted >= 0) return counted;
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

function failedText(vectors: readonly (Float32Array | null)[], problem: string): string | null {
  const missing = vectors.filter((vector) => vector === null).length;
  return missing === 0 ? null : `${problem} (${missing} of ${vectors.length} texts without a vector)`;
}
