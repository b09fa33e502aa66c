// Which language model the operator chose, from the variables alone, so that server and command line agree.
import { endpointProblem } from "./env-forms.ts";
import { EnvVariables, readVariables } from "./env-variables.ts";

/** A model server, and which of its models to use. Contains secrets: never log it. */
export interface ModelChoice {
  /** The server's protocol; absent: Anthropic's. */
  readonly provider?: Provider;
  /** null: the server needs none. */
  readonly apiKey: string | null;
  /** Without a slash at the end, and without `/v1` for Anthropic's protocol; null: the provider's own address. */
  readonly baseUrl: string | null;
  /** The main model and the one for short prompts. */
  readonly names: { readonly main: string; readonly small: string };
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

const Chosen = EnvVariables.pick({
  ANTHROPIC_API_KEY: true,
  ANTHROPIC_BASE_URL: true,
  OPENAI_API_KEY: true,
  OPENAI_BASE_URL: true,
  KODIAI_MODEL_PROVIDER: true,
  KODIAI_MODEL: true,
  KODIAI_SMALL_MODEL: true,
  KODIAI_MODEL_STRUCTURED_OUTPUT: true,
  KODIAI_MODEL_TEMPERATURE: true,
  KODIAI_MODEL_CONTEXT_TOKENS: true,
  KODIAI_USD_PER_MONTH: true,
  KODIAI_REPOSITORY_PERCENT: true,
  KODIAI_ALLOW_HTTP_HOSTS: true,
});

/** For each provider: its variables, its name, its address, and the default models. */
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

/** The variables that configure a model, for messages. */
export const MODEL_VARIABLES = "ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY or OPENAI_BASE_URL";

/**
 * The providers with at least one variable set.
 *
 * @param set variables that are set
 */
export function providersSet(set: ReadonlyMap<string, string>): readonly Provider[] {
  const isSet = (provider: Provider) => set.has(PROVIDERS[provider].key) || set.has(PROVIDERS[provider].url);
  return (["anthropic", "openai"] as const).filter(isSet);
}

/**
 * @param set variables that are set, trimmed
 * @returns the choice, null if there is neither key nor server (Kodiai then uses no model), or one line per problem: the
 *   variable and its fix, never its value
 */
export function readModel(
  set: ReadonlyMap<string, string>,
): { readonly model: ModelChoice | null } | { readonly problems: readonly string[] } {
  const read = readVariables(Chosen, set);
  if ("problems" in read) return read;
  const { values } = read;
  const named = providersSet(set);
  const provider = values.KODIAI_MODEL_PROVIDER ?? named[0];
  const problems =
    provider === undefined || !named.includes(provider) ? unused(set, provider) : unfit(values, set, provider);
  if (problems.length > 0) return { problems };
  return { model: provider === undefined ? null : chosen(values, provider) };
}

function chosen(values: Values, provider: Provider): ModelChoice {
  const { key, url: urlVariable, main: usual, small } = PROVIDERS[provider];
  const url = values[urlVariable];
  const main = values.KODIAI_MODEL ?? usual;
  // The user's own server may offer only the one model that is configured.
  const onlyOne = values.KODIAI_MODEL !== undefined && !isOwn(url, provider);
  return {
    provider,
    apiKey: values[key] ?? null,
    baseUrl: url === undefined ? null : baseOf(url, provider),
    names: { main, small: values.KODIAI_SMALL_MODEL ?? (onlyOne ? main : small) },
    structuredOutput: values.KODIAI_MODEL_STRUCTURED_OUTPUT,
    temperature: values.KODIAI_MODEL_TEMPERATURE ?? null,
    contextTokens: values.KODIAI_MODEL_CONTEXT_TOKENS ?? null,
    usdPerMonth: values.KODIAI_USD_PER_MONTH ?? null,
    repositoryPercent: values.KODIAI_REPOSITORY_PERCENT,
  };
}

type Values = ReturnType<typeof Chosen.parse>;

/** As the SDK wants it: Anthropic's adds `/v1` itself, OpenAI's does not. People usually write a bare host. */
function baseOf(url: string, provider: Provider): string {
  const bare = url.replace(/\/+$/, "");
  if (provider === "anthropic") return bare.replace(/\/v1$/, "");
  return URL.parse(bare)?.pathname === "/" ? `${bare}/v1` : bare;
}

function isOwn(url: string | undefined, provider: Provider): boolean {
  return url === undefined || URL.parse(url)?.origin === PROVIDERS[provider].origin;
}

/** A setting without effect is a misunderstanding. */
function unused(set: ReadonlyMap<string, string>, provider: Provider | undefined): readonly string[] {
  if (provider !== undefined) {
    const { key, url } = PROVIDERS[provider];
    return [`KODIAI_MODEL_PROVIDER is ${provider}, but neither ${key} nor ${url} is set; set one of them or remove it`];
  }
  return [
    "KODIAI_MODEL",
    "KODIAI_SMALL_MODEL",
    "KODIAI_MODEL_STRUCTURED_OUTPUT",
    "KODIAI_MODEL_TEMPERATURE",
    "KODIAI_MODEL_CONTEXT_TOKENS",
    "KODIAI_USD_PER_MONTH",
    "KODIAI_REPOSITORY_PERCENT",
  ]
    .filter((name) => set.has(name))
    .map((name) => `${name} has no effect without ${MODEL_VARIABLES}; set one of them or remove it`);
}

function unfit(values: Values, set: ReadonlyMap<string, string>, provider: Provider): readonly string[] {
  const { key, url: urlVariable, name } = PROVIDERS[provider];
  const url = values[urlVariable];
  const urlProblem = url === undefined ? null : endpointProblem(url, values.KODIAI_ALLOW_HTTP_HOSTS);
  if (urlProblem !== null) return [`${urlVariable} ${urlProblem}`];
  const idle =
    set.has("KODIAI_REPOSITORY_PERCENT") && !set.has("KODIAI_USD_PER_MONTH")
      ? ["KODIAI_REPOSITORY_PERCENT has no effect without KODIAI_USD_PER_MONTH; set it, or remove the share"]
      : [];
  if (!isOwn(url, provider)) return idle;
  return [
    ...idle,
    ...(values[key] === undefined ? [`${key} is not set; ${name}'s own server needs it`] : []),
    ...(provider === "anthropic" && set.has("KODIAI_MODEL_TEMPERATURE")
      ? ["KODIAI_MODEL_TEMPERATURE is refused by Anthropic's models; remove it, or set ANTHROPIC_BASE_URL"]
      : []),
  ];
}
