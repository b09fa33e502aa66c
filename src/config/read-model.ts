// Which language model the operator chose, from the variables alone, so that the server and the command line read them alike.
import { endpointProblem } from "./endpoint-problem.ts";
import { EnvVariables } from "./env-variables.ts";

/** A server that speaks Anthropic's Messages API, and its models. Secrets stay in here: never log it. */
export interface ModelChoice {
  /** null: the server wants none. */
  readonly apiKey: string | null;
  /** Without `/v1` and without a slash at the end; null: Anthropic itself. */
  readonly baseUrl: string | null;
  /** The main model and the one for short questions. */
  readonly names: { readonly main: string; readonly small: string };
  readonly structuredOutput: "auto" | "on" | "off";
  /** null: left to the server. */
  readonly temperature: number | null;
  /** null: as known of the model. */
  readonly contextTokens: number | null;
  /** US$ a calendar month for all repositories together; null or absent: no ceiling. */
  readonly usdPerMonth?: number | null;
  /** How much of that one repository may use, in percent; absent: all. */
  readonly repositoryPercent?: number;
}

const Chosen = EnvVariables.pick({
  ANTHROPIC_API_KEY: true,
  ANTHROPIC_BASE_URL: true,
  KODIAI_MODEL: true,
  KODIAI_SMALL_MODEL: true,
  KODIAI_MODEL_STRUCTURED_OUTPUT: true,
  KODIAI_MODEL_TEMPERATURE: true,
  KODIAI_MODEL_CONTEXT_TOKENS: true,
  KODIAI_USD_PER_MONTH: true,
  KODIAI_REPOSITORY_PERCENT: true,
  KODIAI_ALLOW_HTTP_HOSTS: true,
});

const MAIN = "claude-sonnet-5-5";
const SMALL = "claude-haiku-5-5";

/**
 * @param set variables that are set, trimmed
 * @returns the choice, null where there is neither key nor server (Kodiai then asks no model), or one line per problem: the
 * variable and its fix, never its value
 */
export function readModel(
  set: ReadonlyMap<string, string>,
): { readonly model: ModelChoice | null } | { readonly problems: readonly string[] } {
  const parsed = Chosen.safeParse(Object.fromEntries(set));
  if (!parsed.success) {
    return { problems: parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`) };
  }
  const values = parsed.data;
  const url = values.ANTHROPIC_BASE_URL;
  const urlProblem = url === undefined ? null : endpointProblem(url, values.KODIAI_ALLOW_HTTP_HOSTS);
  if (urlProblem !== null) return { problems: [`ANTHROPIC_BASE_URL ${urlProblem}`] };
  const isKeyless = url === undefined && values.ANTHROPIC_API_KEY === undefined;
  const problems = isKeyless ? unused(set) : unfit(values, set);
  if (problems.length > 0) return { problems };
  return { model: isKeyless ? null : chosen(values) };
}

function chosen(values: ReturnType<typeof Chosen.parse>): ModelChoice {
  const url = values.ANTHROPIC_BASE_URL?.replace(/\/+$/, "").replace(/\/v1$/, "");
  const main = values.KODIAI_MODEL ?? MAIN;
  // A server of one's own that was given one model has that one.
  const onlyOne = values.KODIAI_MODEL !== undefined && !isAnthropic(url);
  return {
    apiKey: values.ANTHROPIC_API_KEY ?? null,
    baseUrl: url ?? null,
    names: { main, small: values.KODIAI_SMALL_MODEL ?? (onlyOne ? main : SMALL) },
    structuredOutput: values.KODIAI_MODEL_STRUCTURED_OUTPUT,
    temperature: values.KODIAI_MODEL_TEMPERATURE ?? null,
    contextTokens: values.KODIAI_MODEL_CONTEXT_TOKENS ?? null,
    usdPerMonth: values.KODIAI_USD_PER_MONTH ?? null,
    repositoryPercent: values.KODIAI_REPOSITORY_PERCENT,
  };
}

function isAnthropic(url: string | undefined): boolean {
  return url === undefined || URL.parse(url)?.origin === "https://api.anthropic.com";
}

/** A setting without effect is a misunderstanding. */
function unused(set: ReadonlyMap<string, string>): readonly string[] {
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
    .map(
      (name) => `${name} has no effect without ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL; set one of them or remove it`,
    );
}

function unfit(values: ReturnType<typeof Chosen.parse>, set: ReadonlyMap<string, string>): readonly string[] {
  const idle =
    set.has("KODIAI_REPOSITORY_PERCENT") && !set.has("KODIAI_USD_PER_MONTH")
      ? ["KODIAI_REPOSITORY_PERCENT has no effect without KODIAI_USD_PER_MONTH; set it, or remove the share"]
      : [];
  if (!isAnthropic(values.ANTHROPIC_BASE_URL)) return idle;
  const isOpen = values.ANTHROPIC_API_KEY === undefined;
  return [
    ...idle,
    ...(isOpen ? ["ANTHROPIC_API_KEY is not set; Anthropic's own server needs it"] : []),
    ...(set.has("KODIAI_MODEL_TEMPERATURE")
      ? ["KODIAI_MODEL_TEMPERATURE is refused by Anthropic's models; remove it, or set ANTHROPIC_BASE_URL"]
      : []),
  ];
}
