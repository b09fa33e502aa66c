// Which embedder the operator chose, from the variables alone, so that server and command line agree.
import { endpointProblem } from "./env-forms.ts";
import { EnvVariables, readVariables } from "./env-variables.ts";

/** `local` needs no network. Secrets stay in here: never log it. */
export type Embeddings =
  | { readonly kind: "local" }
  | {
      readonly kind: "voyage";
      readonly apiKey: string;
      /** null: the service's own. */
      readonly baseUrl: string | null;
      readonly model: string;
      readonly dimension: number;
    }
  | {
      readonly kind: "http";
      readonly baseUrl: string;
      readonly model: string;
      /** null: learned from the first answer. */
      readonly dimension: number | null;
      readonly apiKey: string | null;
    };

const Chosen = EnvVariables.pick({
  VOYAGE_API_KEY: true,
  KODIAI_EMBEDDINGS: true,
  KODIAI_EMBEDDINGS_URL: true,
  KODIAI_EMBEDDINGS_MODEL: true,
  KODIAI_EMBEDDINGS_DIMENSION: true,
  KODIAI_EMBEDDINGS_API_KEY: true,
  KODIAI_ALLOW_HTTP_HOSTS: true,
});

/**
 * @param set variables that are set, trimmed
 * @returns the choice, or one line per problem: the variable and its fix, never its value
 */
export function readEmbeddings(
  set: ReadonlyMap<string, string>,
): { readonly embeddings: Embeddings } | { readonly problems: readonly string[] } {
  const read = readVariables(Chosen, set);
  if ("problems" in read) return read;
  const { values } = read;
  const kind = values.KODIAI_EMBEDDINGS ?? (values.VOYAGE_API_KEY === undefined ? "local" : "voyage");
  const url = values.KODIAI_EMBEDDINGS_URL;
  const urlProblem = url === undefined ? null : endpointProblem(url, values.KODIAI_ALLOW_HTTP_HOSTS);
  const { needed, unused } = VARIABLES[kind];
  const problems = [
    ...needed.filter((name) => !set.has(name)).map((name) => `${name} is not set; KODIAI_EMBEDDINGS=${kind} needs it`),
    ...unused
      .filter((name) => set.has(name))
      .map((name) => `${name} has no effect on ${kind} embeddings; remove it, or set KODIAI_EMBEDDINGS=http`),
    ...(urlProblem === null ? [] : [`KODIAI_EMBEDDINGS_URL ${urlProblem}`]),
  ];
  return problems.length > 0 ? { problems } : { embeddings: chosen(kind, values) };
}

/** Which variables each kind requires, and which have no effect on it: a misunderstanding about where code is sent. */
const VARIABLES: Record<
  Embeddings["kind"],
  { readonly needed: readonly string[]; readonly unused: readonly string[] }
> = {
  local: {
    needed: [],
    unused: [
      "KODIAI_EMBEDDINGS_URL",
      "KODIAI_EMBEDDINGS_MODEL",
      "KODIAI_EMBEDDINGS_DIMENSION",
      "KODIAI_EMBEDDINGS_API_KEY",
    ],
  },
  voyage: { needed: ["VOYAGE_API_KEY"], unused: ["KODIAI_EMBEDDINGS_API_KEY"] },
  http: { needed: ["KODIAI_EMBEDDINGS_URL", "KODIAI_EMBEDDINGS_MODEL"], unused: [] },
};

function chosen(kind: Embeddings["kind"], values: ReturnType<typeof Chosen.parse>): Embeddings {
  const dimension = values.KODIAI_EMBEDDINGS_DIMENSION;
  const baseUrl = values.KODIAI_EMBEDDINGS_URL?.replace(/\/+$/, "");
  if (kind === "voyage") {
    return {
      kind,
      apiKey: values.VOYAGE_API_KEY ?? "",
      baseUrl: baseUrl ?? null,
      model: values.KODIAI_EMBEDDINGS_MODEL ?? "voyage-code-3",
      dimension: dimension ?? 1024,
    };
  }
  if (kind === "local") return { kind };
  return {
    kind,
    baseUrl: baseUrl ?? "",
    model: values.KODIAI_EMBEDDINGS_MODEL ?? "",
    dimension: dimension ?? null,
    apiKey: values.KODIAI_EMBEDDINGS_API_KEY ?? null,
  };
}
