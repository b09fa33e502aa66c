// The part of embedding that all services share: distinct texts, batches, checked vectors, cost.

import { cutText } from "../domain/text/cut-text.ts";
import type { Embedded } from "../ports/memory.ts";
import { groupBySize } from "./group-by-size.ts";
import { type EmbeddingRow, readVectors } from "./read-vectors.ts";
import { ServiceFailed } from "./service-failed.ts";

export interface EmbeddingService {
  readonly limits: BatchLimits;
  /** The required length of every vector; null until the first good vector sets it. */
  dimension: number | null;
  readonly usdPerMillionTokens: number;
  /** Throws `ServiceFailed` only. */
  ask(texts: readonly string[]): Promise<{ readonly rows: readonly EmbeddingRow[]; readonly tokens: Count }>;
}

/** The service's own token count, if it gives one. */
type Count = number | null | undefined;

interface Batch {
  readonly vectors: readonly (Float32Array | null)[];
  readonly tokens: number;
  readonly problem: string | null;
}

/**
 * Each distinct text is sent once, one request after the other. Blank texts are not sent and have no vector. A batch that the
 * service refuses is retried once in two halves, because the token count is only estimated.
 */
export async function embedTexts(service: EmbeddingService, texts: readonly string[]): Promise<Embedded> {
  const prepared = texts.map((text) => cutText(text, service.limits.maxTextChars).toWellFormed());
  const distinct = [...new Set(prepared)].filter((text) => text.trim() !== "");
  const found = new Map<string, Float32Array>();
  const problems: string[] = [];
  let tokens = 0;
  const { maxTokens, maxTexts } = service.limits;
  for (const texts of groupBySize(distinct, estimateTokens, { size: maxTokens, count: maxTexts })) {
    const batch = await embedBatch(service, texts, true);
    tokens += batch.tokens;
    if (batch.problem !== null) problems.push(batch.problem);
    batch.vectors.forEach((vector, index) => {
      if (vector !== null) found.set(texts[index] ?? "", vector);
    });
  }
  // Copies, because a caller may transfer a vector's memory to another thread and two texts may be equal.
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
    if (!mayHalve || error.turn.isOutage || texts.length < 2) {
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

function countedTokens(counted: Count, texts: readonly string[]): number {
  if (typeof counted === "number" && counted >= 0) return counted;
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

function failedText(vectors: readonly (Float32Array | null)[], problem: string): string | null {
  const missing = vectors.filter((vector) => vector === null).length;
  return missing === 0 ? null : `${problem} (${missing} of ${vectors.length} texts without a vector)`;
}

export interface BatchLimits {
  /** Texts in one request. */
  readonly maxTexts: number;
  /** Estimated tokens in one request. */
  readonly maxTokens: number;
  /** UTF-16 units of one text; a longer one is cut at the end. */
  readonly maxTextChars: number;
}

/** Code and English come to 3.5–4 characters a token; the lower figure errs on the safe side. */
const BYTES_PER_TOKEN = 3.5;

/** The estimated tokens of a text. UTF-8 bytes are counted, because other scripts need more tokens a character. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
