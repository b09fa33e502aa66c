// Which reranker the operator chose, from the variables alone: none, unless one is named.
import type { z } from "zod";
import { endpointProblem } from "./endpoint-problem.ts";
import { EnvVariables } from "./env-variables.ts";

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
  KODIAI_RERANKER_URL: true,
  KODIAI_ALLOW_HTTP_HOSTS: true,
});

/**
 * @param set variables that are set, trimmed
 * @returns the choice, or one line per problem: the variable and its fix, never its value
 */
export function readReranker(
  set: ReadonlyMap<string, string>,
): { readonly reranker: RerankerChoice } | { readonly problems: readonly string[] } {
  const parsed = Chosen.safeParse(Object.fromEntries(set));
  if (!parsed.success) {
    return { problems: parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`) };
  }
  return parsed.data.KODIAI_RERANKER === "off" ? none(set) : voyage(parsed.data);
}

/** A setting without effect is a misunderstanding. */
function none(set: ReadonlyMap<string, string>): ReturnType<typeof readReranker> {
  const unused = ["KODIAI_RERANKER_MODEL", "KODIAI_RERANKER_URL"].filter((name) => set.has(name));
  if (unused.length === 0) return { reranker: { kind: "off" } };
  const problem = "has no effect without a reranker; remove it, or set KODIAI_RERANKER=voyage";
  return { problems: unused.map((name) => `${name} ${problem}`) };
}

function voyage(values: z.infer<typeof Chosen>): ReturnType<typeof readReranker> {
  const { VOYAGE_API_KEY: apiKey, KODIAI_RERANKER_URL: own } = values;
  const problem = own === undefined ? null : endpointProblem(own, values.KODIAI_ALLOW_HTTP_HOSTS);
  const problems = [
    ...(apiKey === undefined ? ["VOYAGE_API_KEY is not set; KODIAI_RERANKER=voyage needs it"] : []),
    ...(problem === null ? [] : [`KODIAI_RERANKER_URL ${problem}`]),
  ];
  if (apiKey === undefined || problems.length > 0) return { problems };
  // A key belongs to an account at one address, which the embeddings may already name.
  const embedsThere = values.KODIAI_EMBEDDINGS === undefined || values.KODIAI_EMBEDDINGS === "voyage";
  const url = own ?? (embedsThere ? values.KODIAI_EMBEDDINGS_URL : undefined);
  const model = values.KODIAI_RERANKER_MODEL ?? "rerank-2.5";
  return { reranker: { kind: "voyage", apiKey, baseUrl: url?.replace(/\/+$/, "") ?? null, model } };
}
