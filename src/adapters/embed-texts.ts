// The part of embedding that all services share: distinct texts, batches, checked vectors, cost.

import { counted } from "../domain/text/counted.ts";
import { cutText } from "../domain/text/cut-text.ts";
import type { Embedded } from "../ports/memory.ts";
import { groupBySize } from "./group-by-size.ts";
import { ServiceFailed } from "./service-failed.ts";

export interface EmbeddingService {
  readonly limits: BatchLimits;
  /** The required length of every vector; null until the first good vectors set it. */
  dimension: number | null;
  /** The operator chose the dimension; otherwise the server may change it. */
  readonly isFixed: boolean;
  readonly usdPerMillionTokens: number;
  /** Throws `ServiceFailed` only. See ServiceCall for `part`. */
  ask(
    texts: readonly string[],
    part: "whole" | "part" | undefined,
  ): Promise<{
    readonly rows: readonly EmbeddingRow[];
    /** The service's own count, if it gives one. */
    readonly tokens: number | null | undefined;
  }>;
}

/** Of an embedder of which only the threshold was measured. */
export const UNMEASURED = { operatorThreshold: null, sameClaim: null, confidence: null };

type Batch = ReadVectors & { readonly tokens: number };

/**
 * Sends each distinct text once, one request after the other; no blank ones. Halves a refused
 * batch, so that only the text that the service refuses has no vector.
 */
export async function embedTexts(service: EmbeddingService, texts: readonly string[]): Promise<Embedded> {
  const prepared = texts.map((text) => cutText(text, service.limits.maxTextChars).toWellFormed());
  const distinct = [...new Set(prepared)].filter((text) => text.trim() !== "");
  const found = new Map<string, Float32Array>();
  const problems: string[] = [];
  let tokens = 0;
  const { maxTokens, maxTexts } = service.limits;
  for (const texts of groupBySize(distinct, estimateTokens, { size: maxTokens, count: maxTexts })) {
    const batch = await embedBatch(service, texts, { left: MOST_PARTS, failed: 0 });
    tokens += batch.tokens;
    if (batch.problem !== null) problems.push(batch.problem);
    batch.vectors.forEach((vector, index) => {
      if (vector !== null) found.set(texts[index] ?? "", vector);
    });
  }
  // Copies, because a caller may transfer a vector's memory to another thread and two texts may be
  // equal. Of a server that changed its dimension in between, only vectors of the new one count.
  const vectors = prepared.map((text) => {
    const vector = found.get(text);
    return vector?.length === service.dimension ? vector.slice() : null;
  });
  const usd = (tokens / 1_000_000) * service.usdPerMillionTokens;
  const missing = vectors.filter((vector) => vector === null).length;
  const problem = `${problems[0] ?? "a text is blank"} (${missing} of ${counted(vectors.length, "text")} without a vector)`;
  return { vectors, tokens, usd, cached: 0, failed: missing === 0 ? null : problem };
}

/** Requests for the parts of one batch: enough for five bad texts of 32. */
const MOST_PARTS = 64;
/** After so many failures in a row it is not the texts: one bad text of 128 causes seven. */
const MOST_FAILED = 10;

interface Parts {
  left: number;
  /** In a row. */
  failed: number;
}

async function embedBatch(service: EmbeddingService, texts: readonly string[], parts: Parts): Promise<Batch> {
  const isPart = parts.left < MOST_PARTS;
  try {
    const answer = await service.ask(texts, isPart ? "part" : texts.length > 1 ? "whole" : undefined);
    parts.failed = 0;
    const read = readVectors(answer.rows, texts.length, service.dimension);
    const { vectors, problem } = changedDimension(service, answer.rows, read) ?? read;
    service.dimension ??= vectors.find((vector) => vector !== null)?.length ?? null;
    const estimated = () => texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    const { tokens } = answer;
    return { vectors, tokens: typeof tokens === "number" && tokens >= 0 ? tokens : estimated(), problem };
  } catch (error) {
    if (!(error instanceof ServiceFailed)) throw error;
    parts.failed++;
    const isOfInput = error.status === 500 || !error.turn.isOutage;
    const none: Batch = { vectors: texts.map(() => null), tokens: 0, problem: error.message };
    if (!isOfInput || parts.failed > MOST_FAILED) return none;
    const [text = ""] = texts;
    if (texts.length === 1) return await shortened(service, text, none, parts);
    if (parts.left < 2) return none;
    const middle = Math.ceil(texts.length / 2);
    parts.left--;
    const left = await embedBatch(service, texts.slice(0, middle), parts);
    parts.left--;
    const right = await embedBatch(service, texts.slice(middle), parts);
    return {
      vectors: [...left.vectors, ...right.vectors],
      tokens: left.tokens + right.tokens,
      problem: left.problem ?? right.problem,
    };
  }
}

/** Shorter texts are within every model's context. */
const SHORT_CHARS = 1_000;

/** The beginning of a text that is too long stands for it. */
async function shortened(service: EmbeddingService, text: string, none: Batch, parts: Parts): Promise<Batch> {
  if (text.length <= SHORT_CHARS || parts.left < 1) return none;
  parts.left--;
  const half = await embedBatch(service, [cutText(text, Math.ceil(text.length / 2)).toWellFormed()], parts);
  return half.vectors[0] === null ? { ...none, tokens: half.tokens } : half;
}

/**
 * When all vectors of an answer have one other length, the server has another model. Its vectors
 * are taken from the next call on, in a space of their own; null when nothing changed.
 */
function changedDimension(
  service: EmbeddingService,
  rows: readonly EmbeddingRow[],
  read: ReadVectors,
): ReadVectors | null {
  const { dimension, isFixed } = service;
  const other = dimension === null || isFixed ? null : usualLength(rows);
  // One vector alone may be a slip of the server.
  if (other === null || other === dimension || rows.length < 2 || read.vectors.some((vector) => vector !== null))
    return null;
  service.dimension = other;
  const problem = `the embedding server now answers with vectors of ${other} numbers, and before with ${dimension}: run \`kodiai index\` to embed memory again`;
  return { vectors: read.vectors, problem };
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

/** Estimated tokens, by UTF-8 bytes: other scripts need more tokens a character. */
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
 * Reads the vectors of an answer whose types were checked, so that every number is finite.
 *
 * @param rows `data` of the answer, in any order; without indexes by position, if as many as texts.
 *   Ignores indexes out of range; of one that occurs twice neither counts.
 * @param count the number of requested texts
 * @param dimension the required length of each vector; null takes the most frequent one
 */
export function readVectors(rows: readonly EmbeddingRow[], count: number, dimension: number | null): ReadVectors {
  const byIndex = placeRows(rows, count);
  const expected = dimension ?? usualLength(rows);
  let problem: string | null = null;
  const vectors = Array.from({ length: count }, (_, index) => {
    const read = readVector(byIndex.get(index), expected);
    if (typeof read === "string") {
      problem ??= read;
      return null;
    }
    return read;
  });
  return { vectors, problem };
}

/** The length of most vectors; null without any. */
function usualLength(rows: readonly EmbeddingRow[]): number | null {
  const lengths = Map.groupBy(
    rows.flatMap(({ embedding }) => (embedding?.some((value) => value !== 0) ? [embedding.length] : [])),
    (length) => length,
  );
  const [most] = [...lengths].toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? null;
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
  if (numbers === null) return "a vector is missing from the answer, or is not all numbers";
  if (numbers.length < MIN_DIMENSION || numbers.length > MAX_DIMENSION) {
    return `a vector of ${numbers.length} numbers is not valid`;
  }
  if (numbers.every((value) => value === 0)) return "a vector is all zero";
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
