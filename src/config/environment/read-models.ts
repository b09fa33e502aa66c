// Which embedder, model and reranker the operator chose, from the variables alone, so that server
// and command line agree. The choices contain secrets: never log them.
import { endpointProblem } from "./env-forms.ts";
import { EnvVariables, readVariables } from "./env-variables.ts";
import { knownModel, type ModelPrice } from "./known-models.ts";
import { apiBase } from "./server-address.ts";

/** Variables that are set, trimmed. */
type Given = ReadonlyMap<string, string>;

/** One line per problem: the variable and its fix, never its value. */
type Problems = { readonly problems: readonly string[] };

/** The command line has no App, and only the variables that matter for a choice may be wrong. */
const Variables = EnvVariables.partial({ APP_ID: true, WEBHOOK_SECRET: true });

function readSome(set: Given, names: RegExp) {
  return readVariables(Variables, new Map([...set].filter(([name]) => names.test(name))));
}

type Values = ReturnType<typeof Variables.parse>;

/** `scoreThreshold`: least cosine similarity for every repository, 0–1; absent: none. */
export type Embeddings = ReturnType<typeof chosenEmbeddings> & { readonly scoreThreshold?: number };

const NEEDED: Readonly<Record<Embeddings["kind"], readonly string[]>> = {
  local: [],
  voyage: ["VOYAGE_API_KEY"],
  http: ["KODIAI_EMBEDDINGS_URL", "KODIAI_EMBEDDINGS_MODEL"],
};
/** Ends of KODIAI_EMBEDDINGS_* without effect: a misunderstanding about where code is sent. */
const UNUSED: Readonly<Record<Embeddings["kind"], readonly string[]>> = {
  local: ["URL", "MODEL", "DIMENSION", "API_KEY"],
  voyage: ["API_KEY"],
  http: [],
};

/** Which embedder turns text into vectors; `local` needs no network. */
export function readEmbeddings(set: Given): { readonly embeddings: Embeddings } | Problems {
  const read = readSome(set, /^(VOYAGE_API_KEY|KODIAI_EMBEDDINGS.*|KODIAI_SCORE_THRESHOLD|KODIAI_ALLOW_HTTP_HOSTS)$/);
  if ("problems" in read) return read;
  const { values } = read;
  const kind = values.KODIAI_EMBEDDINGS ?? (values.VOYAGE_API_KEY === undefined ? "local" : "voyage");
  const url = values.KODIAI_EMBEDDINGS_URL;
  const urlProblem = url === undefined ? null : endpointProblem(url, values.KODIAI_ALLOW_HTTP_HOSTS);
  const missing = NEEDED[kind].filter((name) => !set.has(name));
  const idle = UNUSED[kind].map((end) => `KODIAI_EMBEDDINGS_${end}`).filter((name) => set.has(name));
  const problems = [
    ...missing.map((name) => `${name} is not set; KODIAI_EMBEDDINGS=${kind} needs it`),
    ...idle.map((name) => `${name} has no effect on ${kind} embeddings; remove it, or set KODIAI_EMBEDDINGS=http`),
    ...(urlProblem === null ? [] : [`KODIAI_EMBEDDINGS_URL ${urlProblem}`]),
  ];
  if (problems.length > 0) return { problems };
  const { KODIAI_SCORE_THRESHOLD: scoreThreshold } = values;
  return {
    embeddings: { ...chosenEmbeddings(kind, values), ...(scoreThreshold === undefined ? {} : { scoreThreshold }) },
  };
}

function chosenEmbeddings(kind: "local" | "voyage" | "http", values: Values) {
  if (kind === "local") return { kind };
  const url = values.KODIAI_EMBEDDINGS_URL;
  const { KODIAI_EMBEDDINGS_MODEL: model, KODIAI_EMBEDDINGS_DIMENSION: dimension } = values;
  if (kind === "voyage") {
    return {
      kind,
      apiKey: values.VOYAGE_API_KEY ?? "",
      /** null: the service's own. */
      baseUrl: url === undefined ? null : apiBase(url),
      model: model ?? "voyage-code-3",
      dimension: dimension ?? 1024,
    };
  }
  return {
    kind,
    apiKey: values.KODIAI_EMBEDDINGS_API_KEY ?? null,
    /** As written: the embedder adds what is missing. */
    baseUrl: url?.replace(/\/+$/, "") ?? "",
    model: model ?? "",
    /** null: learned from the first answer. */
    dimension: dimension ?? null,
  };
}

/** A model server, and which of its models to use. Contains secrets: never log it. */
export interface ModelChoice {
  /** The server's protocol; absent: Anthropic's. */
  readonly provider?: Provider;
  /** null: the server needs none. */
  readonly apiKey: string | null;
  /** Without a slash, and without `/v1` for Anthropic's protocol; null: the provider's own. */
  readonly baseUrl: string | null;
  /** The main model and the one for short prompts. */
  readonly names: { readonly main: string; readonly small: string };
  /** The operator's own prices; absent: as known for the model. */
  readonly prices?: { readonly main?: ModelPrice; readonly small?: ModelPrice };
  readonly structuredOutput: "auto" | "on" | "off";
  /** null: the server decides. */
  readonly temperature: number | null;
  /** null: as known for the model. */
  readonly contextTokens: number | null;
  /** US$ a calendar month for all repositories together; null or absent: no ceiling. */
  readonly usdPerMonth?: number | null;
  /** How much of that one repository may use, in percent; absent: all. */
  readonly repositoryPercent?: number;
}

type Provider = "anthropic" | "openai";

export const PROVIDERS = {
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    url: "ANTHROPIC_BASE_URL",
    name: "Anthropic",
    origin: "https://api.anthropic.com",
    main: "claude-sonnet-5-5",
    small: "claude-haiku-5-5",
  },
  openai: {
    key: "OPENAI_API_KEY",
    url: "OPENAI_BASE_URL",
    name: "OpenAI",
    origin: "https://api.openai.com",
    main: "gpt-6.1-sol",
    small: "gpt-6-luna",
  },
} as const;

export const MODEL_VARIABLES = "ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY or OPENAI_BASE_URL";

export function providersSet(set: Given): readonly Provider[] {
  const isSet = (provider: Provider) => set.has(PROVIDERS[provider].key) || set.has(PROVIDERS[provider].url);
  return (["anthropic", "openai"] as const).filter(isSet);
}

/** The language model; null if there is neither key nor server, and Kodiai then uses none. */
export function readModel(set: Given): { readonly model: ModelChoice | null } | Problems {
  const names =
    "(ANTHROPIC|OPENAI)_.*|KODIAI_(MODEL.*|SMALL_MODEL.*|USD_PER_MONTH|REPOSITORY_PERCENT|ALLOW_HTTP_HOSTS)";
  const read = readSome(set, new RegExp(`^(${names})$`));
  if ("problems" in read) return read;
  const { values } = read;
  const named = providersSet(set);
  const provider = values.KODIAI_MODEL_PROVIDER ?? named[0];
  const isSet = provider !== undefined && named.includes(provider);
  const problems = isSet ? [...unfit(values, set, provider)] : unused(set, provider);
  const model = provider === undefined ? null : chosenModel(values, provider);
  if (problems.length > 0 || model === null) return problems.length > 0 ? { problems } : { model };
  const open = unpriced(model);
  return open.length > 0 ? { problems: open } : { model };
}

function chosenModel(values: Values, provider: Provider): ModelChoice {
  const { key, url: urlVariable, main: usual, small } = PROVIDERS[provider];
  const url = values[urlVariable];
  const base = url === undefined ? null : apiBase(url);
  const main = values.KODIAI_MODEL ?? usual;
  // The user's own server may offer only the one model that is configured.
  const onlyOne = values.KODIAI_MODEL !== undefined && !isOwn(url, provider);
  const names = { main, small: values.KODIAI_SMALL_MODEL ?? (onlyOne ? main : small) };
  const { KODIAI_MODEL_PRICE: price, KODIAI_SMALL_MODEL_PRICE: ofSmall } = values;
  const smallPrice = ofSmall ?? (names.small === main ? price : undefined);
  return {
    provider,
    apiKey: values[key] ?? null,
    // Anthropic's SDK adds `/v1` itself, OpenAI's does not. People usually write a bare host.
    baseUrl: base === null || provider === "openai" ? base : base.replace(/\/v1$/, ""),
    names,
    ...((price ?? smallPrice)
      ? { prices: { ...(price && { main: price }), ...(smallPrice && { small: smallPrice }) } }
      : {}),
    structuredOutput: values.KODIAI_MODEL_STRUCTURED_OUTPUT,
    temperature: values.KODIAI_MODEL_TEMPERATURE ?? null,
    contextTokens: values.KODIAI_MODEL_CONTEXT_TOKENS ?? null,
    usdPerMonth: values.KODIAI_USD_PER_MONTH ?? null,
    repositoryPercent: values.KODIAI_REPOSITORY_PERCENT,
  };
}

/** A budget cannot hold what has no price. */
function unpriced({ names, prices, usdPerMonth }: ModelChoice): readonly string[] {
  if (usdPerMonth === null) return [];
  const has = (tier: "main" | "small") => prices?.[tier] !== undefined || knownModel(names[tier]) !== null;
  const problem = (variable: string, name: string) =>
    `${variable} is not set; KODIAI_USD_PER_MONTH needs it, because no price of ${name} is known: US$ for a million tokens in and out, such as 2/10, or 0`;
  return [
    ...(has("main") ? [] : [problem("KODIAI_MODEL_PRICE", names.main)]),
    ...(has("small") || names.small === names.main ? [] : [problem("KODIAI_SMALL_MODEL_PRICE", names.small)]),
  ];
}

function isOwn(url: string | undefined, provider: Provider): boolean {
  return url === undefined || URL.parse(url)?.origin === PROVIDERS[provider].origin;
}

/** Ends of KODIAI_* that need a model. */
const MODEL_SETTINGS = (
  "MODEL SMALL_MODEL MODEL_PRICE SMALL_MODEL_PRICE MODEL_STRUCTURED_OUTPUT MODEL_TEMPERATURE MODEL_CONTEXT_TOKENS " +
  "USD_PER_MONTH REPOSITORY_PERCENT"
).split(" ");

/** A setting without effect is a misunderstanding. */
function unused(set: Given, provider: Provider | undefined): readonly string[] {
  if (provider !== undefined) {
    const { key, url } = PROVIDERS[provider];
    return [`KODIAI_MODEL_PROVIDER is ${provider}, but neither ${key} nor ${url} is set; set one of them or remove it`];
  }
  return MODEL_SETTINGS.map((end) => `KODIAI_${end}`)
    .filter((name) => set.has(name))
    .map((name) => `${name} has no effect without ${MODEL_VARIABLES}; set one of them or remove it`);
}

function* unfit(values: Values, set: Given, provider: Provider): Generator<string> {
  const { key, url: urlVariable, name } = PROVIDERS[provider];
  const url = values[urlVariable];
  const urlProblem = url === undefined ? null : endpointProblem(url, values.KODIAI_ALLOW_HTTP_HOSTS);
  if (urlProblem !== null) return yield `${urlVariable} ${urlProblem}`;
  if (set.has("KODIAI_REPOSITORY_PERCENT") && !set.has("KODIAI_USD_PER_MONTH"))
    yield "KODIAI_REPOSITORY_PERCENT has no effect without KODIAI_USD_PER_MONTH; set it, or remove the share";
  if (!isOwn(url, provider)) return;
  if (values[key] === undefined) yield `${key} is not set; ${name}'s own server needs it`;
  if (provider === "anthropic" && set.has("KODIAI_MODEL_TEMPERATURE"))
    yield "KODIAI_MODEL_TEMPERATURE is refused by Anthropic's models; remove it, or set ANTHROPIC_BASE_URL";
}

/** `baseUrl` null: the service's own. */
export type RerankerChoice =
  | { readonly kind: "off" }
  | { readonly kind: "voyage"; readonly apiKey: string; readonly baseUrl: string | null; readonly model: string };

export function readReranker(set: Given): { readonly reranker: RerankerChoice } | Problems {
  const read = readSome(set, /^(VOYAGE_API_KEY|KODIAI_EMBEDDINGS(_URL)?|KODIAI_RERANKER.*)$/);
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
  // A key belongs to an account at one address, which the embeddings may name.
  const embedsThere = values.KODIAI_EMBEDDINGS === undefined || values.KODIAI_EMBEDDINGS === "voyage";
  const url = embedsThere ? values.KODIAI_EMBEDDINGS_URL : undefined;
  const model = values.KODIAI_RERANKER_MODEL ?? "rerank-2.5";
  return { reranker: { kind: "voyage", apiKey, baseUrl: url === undefined ? null : apiBase(url), model } };
}
