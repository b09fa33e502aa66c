// Embeds all queries, the change's own and the model's, in one request.
import { type EmbeddingUsage, NO_USAGE, type QueryVariant } from "../../domain/retrieval.ts";
import type { Attempts } from "../degradation-log.ts";

interface EmbeddedQueries {
  /** In the order of the texts, null for each without one; empty when nothing was embedded. */
  readonly vectors: readonly (Float32Array | null)[];
  readonly usage: EmbeddingUsage;
}

export const NOT_EMBEDDED: EmbeddedQueries = { vectors: [], usage: NO_USAGE };

type EmbedQueries = (
  texts: readonly string[],
  kind: "query",
) => Promise<Omit<EmbeddingUsage, "texts"> & Pick<EmbeddedQueries, "vectors"> & { readonly failed?: string | null }>;

/**
 * One request for all texts; null for each without a vector. Never rejects: failures are noted in `tries`.
 *
 * @param embedder null when there is none
 * @param isOn false when the configuration turns it off
 */
export async function embedQueries(
  embedder: { readonly embed: EmbedQueries } | null,
  isOn: boolean,
  variants: readonly QueryVariant[],
  tries: Attempts,
): Promise<EmbeddedQueries> {
  if (embedder === null || !isOn) {
    const off = embedder === null ? "no embedder; memory was searched by words" : "switched off by the configuration";
    tries.note("embedding", off);
    return NOT_EMBEDDED;
  }
  const texts = variants.map(({ text }) => text);
  const answer = await tries.run("embedding", () => embedder.embed(texts, "query"), null);
  if (answer === null) return { vectors: [], usage: { ...NO_USAGE, texts: texts.length } };
  const { vectors, cached, tokens, usd, failed } = answer;
  const missing = texts.filter((_, at) => (vectors[at] ?? null) === null).length;
  if (missing > 0) {
    const all = `${missing} of ${texts.length} queries could not be embedded`;
    tries.note("embedding", failed ? `queries could not be embedded: ${failed}` : all);
  }
  return { vectors, usage: { texts: texts.length, cached, tokens, usd } };
}
