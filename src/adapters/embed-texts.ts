// The part of embedding that all services share: distinct texts, batches, checked vectors, cost.

import { cutText } from "../domain/text/cut-text.ts";
import type { Embedded } from "../ports/memory.ts";
import { groupBySize } from "./group-by-size.ts";
import { ServiceFailed } from "./service-failed.ts";

export interface EmbeddingService {
  readonly limits: BatchLimits;
  /** The required length of every vector; null until the first good vector sets it. */
  dimension: number | null;
  readonly usdPerMillionTokens: number;
  /** Throws `ServiceFailed` only. */
  ask(texts: readonly string[]): Promise<{
    readonly rows: readonly EmbeddingRow[];
    /** The service's own count, if it gives one. */
    readonly tokens: number | null | undefined;
  }>;
}

type Batch = ReadVectors & { readonly tokens: number };

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
  const missing = vectors.filter((vector) => vector === null).length;
  const problem = `${problems[0] ?? "a text is blank"} (${missing} of ${vectors.length} texts without a vector)`;
  return { vectors, tokens, usd, cached: 0, failed: missing === 0 ? null : problem };
}

async function embedBatch(service: EmbeddingService, texts: readonly string[], mayHalve: boolean): Promise<Batch> {
  try {
    const answer = await service.ask(texts);
    const { vectors, problem } = readVectors(answer.rows, texts.length, service.dimension);
    service.dimension ??= vectors.find((vector) => vector !== null)?.length ?? null;
    const estimated = () => texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    const { tokens } = answer;
    return { vectors, tokens: typeof tokens === "number" && tokens >= 0 ? tokens : estimated(), problem };
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

/** Larger than any model's; a longer answer is not a vector. */
const MAX_DIMENSION = 16_384;
const MIN_DIMENSION = 2;

interface EmbeddingRow {
  readonly index?: number | null | undefined;
  readonly embedding?: readonly number[] | null | undefined;
}

interface ReadVectors {
  /** One for each requested text: unit length, or null. */
  readonly vectors: readonly (Float32Array | null)[];
  /** The reason for the first null; null when there is none. */
  readonly problem: string | null;
}

/**
 * Reads the vectors of an answer whose types were checked, so every number is finite.
 *
 * @param rows `data` of the answer, in any order. Rows without an index count by their position, if there are as many as texts.
 *   Indexes out of range are ignored; if one occurs twice, neither counts.
 * @param count the number of requested texts
 * @param dimension the required length of each vector; null takes that of the first good one
 */
export function readVectors(rows: readonly EmbeddingRow[], count: number, dimension: number | null): ReadVectors {
  const byIndex = placeRows(rows, count);
  let expected = dimension;
  let problem: string | null = null;
  const vectors = Array.from({ length: count }, (_, index) => {
    const read = readVector(byIndex.get(index), expected);
    if (typeof read === "string") {
      problem ??= read;
      return null;
    }
    expected ??= read.length;
    return read;
  });
  return { vectors, problem };
}

/** Null if two rows have the same index. */
function placeRows(rows: readonly EmbeddingRow[], count: number): ReadonlyMap<number, EmbeddingRow | null> {
  if (rows.every(({ index }) => typeof index !== "number")) {
    return new Map(rows.length === count ? rows.map((row, index) => [index, row]) : []);
  }
  const byIndex = new Map<number, EmbeddingRow | null>();
  for (const row of rows) {
    if (typeof row.index === "number") byIndex.set(row.index, byIndex.has(row.index) ? null : row);
  }
  return byIndex;
}

/** The vector at unit length, or what is wrong with it. */
function readVector(row: EmbeddingRow | null | undefined, dimension: number | null): Float32Array | string {
  if (row === null) return "the answer has two vectors for one text";
  const numbers = row?.embedding ?? null;
  if (numbers === null) return "a vector is missing from the answer";
  if (numbers.length < MIN_DIMENSION || numbers.length > MAX_DIMENSION) {
    return `a vector of ${numbers.length} numbers is not valid`;
  }
  if (dimension !== null && numbers.length !== dimension) {
    return `a vector has ${numbers.length} numbers and not ${dimension}; check the model and its dimension`;
  }
  return unitVector(numbers) ?? "a vector is all zero";
}

/** Divides by the largest number first, so that no square overflows or underflows. */
function unitVector(numbers: readonly number[]): Float32Array | null {
  const largest = numbers.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return null;
  const length = Math.sqrt(numbers.reduce((sum, value) => sum + (value / largest) ** 2, 0));
  return Float32Array.from(numbers, (value) => value / largest / length);
}
