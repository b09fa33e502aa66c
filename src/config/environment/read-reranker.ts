// Which reranker the operator chose, from the variables alone: none, unless one is named.
import { EnvVariables, readVariables } from "./env-variables.ts";

/** Contains secrets: never log it. */
export type RerankerChoice =
  | { readonly kind: "off" }
  | {
      readonly kind: "voyage";
      readonly apiKey: string;
      /** null: the service's own. */
      readonly baseUrl: string | null;
      readonly model: string;
    };

const Chosen = EnvVariables.pick({
  VOYAGE_API_KEY: true,
  KODIAI_EMBEDDINGS: true,
  KODIAI_EMBEDDINGS_URL: true,
  KODIAI_RERANKER: true,
  KODIAI_RERANKER_MODEL: true,
});

/**
 * @param set variables that are set, trimmed
 * @returns the choice, or one line per problem: the variable and its fix, never its value
 */
export function readReranker(
  set: ReadonlyMap<string, string>,
): { readonly reranker: RerankerChoice } | { readonly problems: readonly string[] } {
  const read = readVariables(Chosen, set);
  if ("problems" in read) return read;
  const { values } = read;
  if (values.KODIAI_RERANKER === "off") {
    if (!set.has("KODIAI_RERANKER_MODEL")) return { reranker: { kind: "off" } };
    // A setting without effect is a misunderstanding.
    const problem = "has no effect without a reranker; remove it, or set KODIAI_RERANKER=voyage";
    return { problems: [`KODIAI_RERANKER_MODEL ${problem}`] };
  }
  const apiKey = values.VOYAGE_API_KEY;
  if (apiKey === undefined) return { problems: ["VOYAGE_API_KEY is not set; KODIAI_RERANKER=voyage needs it"] };
  // A key belongs to an account at one address, which the embeddings may name; readEmbeddings checks it.
  const embedsThere = values.KODIAI_EMBEDDINGS === undefined || values.KODIAI_EMBEDDINGS === "voyage";
  const url = embedsThere ? values.KODIAI_EMBEDDINGS_URL : undefined;
  const model = values.KODIAI_RERANKER_MODEL ?? "rerank-2.5";
  return { reranker: { kind: "voyage", apiKey, baseUrl: url?.replace(/\/+$/, "") ?? null, model } };
}
