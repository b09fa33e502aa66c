// The vectors of the queries, and what they took.
import { type EmbeddingUsage, NO_USAGE } from "../domain/retrieval.ts";

export interface EmbeddedQueries {
  /** In the order of the texts, null for each that has none; empty when nothing was embedded. */
  readonly vectors: readonly (Float32Array | null)[];
  readonly usage: EmbeddingUsage;
  /** How many texts have no vector. */
  readonly missing: number;
}

export const NOT_EMBEDDED: EmbeddedQueries = { vectors: [], usage: NO_USAGE, missing: 0 };

/** @param answer what the embedder gave for these texts; null when it failed, which is told elsewhere */
export function embeddedQueries(
  texts: readonly string[],
  answer: (Omit<EmbeddingUsage, "texts"> & Pick<EmbeddedQueries, "vectors">) | null,
): EmbeddedQueries {
  if (answer === null) return { ...NOT_EMBEDDED, usage: { ...NO_USAGE, texts: texts.length } };
  const { vectors, cached, tokens, usd } = answer;
  const missing = texts.filter((_, index) => (vectors[index] ?? null) === null).length;
  return { vectors, usage: { texts: texts.length, cached, tokens, usd }, missing };
}
