// The process environment, read once at the start: typed settings, or every reason not to start.
import { didYouMean } from "../did-you-mean.ts";
import { shown } from "../problems.ts";
import { endpointProblem, originProblem } from "./env-forms.ts";
import { ENV_VARIABLES, EnvVariables, readVariables } from "./env-variables.ts";
import { apiUrlOf, localDashboard } from "./github-address.ts";
import {
  type Embeddings,
  type ModelChoice,
  type RerankerChoice,
  readEmbeddings,
  readModel,
  readReranker,
} from "./read-models.ts";

export interface Env extends ReturnType<typeof toEnv> {
  readonly embeddings: Embeddings;
  /** null: no model is used. */
  readonly model: ModelChoice | null;
  readonly reranker: RerankerChoice;
}

type Variables = Readonly<Record<string, string | undefined>>;

const NAMES = ENV_VARIABLES.map((variable) => variable.name);
const OWN_NAMES = NAMES.filter((name) => name.startsWith("KODIAI_"));
const PROXY_NAMES: ReadonlySet<string> = new Set(["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"]);

/** The settings, or one line per problem: the variable and its fix, never its value. */
export function readEnv(env: Variables): { readonly env: Env } | { readonly problems: readonly string[] } {
  const set = valuesOf(env);
  const read = readVariables(EnvVariables, set);
  const memory = readEmbeddings(set);
  const model = readModel(set);
  const order = readReranker(set);
  const problems = [
    ...("problems" in read ? read.problems : []),
    ...problemsTogether(set),
    ...[memory, order, model].flatMap((part) => ("problems" in part ? part.problems : [])),
    ...unknownNames(env),
  ];
  if ("problems" in read || "problems" in memory || "problems" in order || "problems" in model || problems.length > 0) {
    return { problems: [...new Set(problems)] };
  }
  return { env: { ...toEnv(read.values), ...memory, ...order, ...model } };
}

function valuesOf(env: Variables): ReadonlyMap<string, string> {
  const pairs = NAMES.flatMap((name): [string, string][] => {
    const lower = PROXY_NAMES.has(name) ? env[name.toLowerCase()] : undefined;
    const value = (lower ?? env[name] ?? "").trim();
    return value === "" ? [] : [[name, value]];
  });
  return new Map(pairs);
}

/** What is wrong with variables that are right one by one. */
function* problemsTogether(set: ReadonlyMap<string, string>): Generator<string> {
  if (!set.has("PRIVATE_KEY") && !set.has("PRIVATE_KEY_PATH"))
    yield "PRIVATE_KEY_PATH is not set; point it at the App's private key, or set PRIVATE_KEY";
  if (set.has("PRIVATE_KEY") && set.has("PRIVATE_KEY_PATH"))
    yield "PRIVATE_KEY and PRIVATE_KEY_PATH are both set; keep one of them";
  const [former, until] = ["KODIAI_FORMER_WEBHOOK_SECRET", "KODIAI_FORMER_WEBHOOK_SECRET_UNTIL"];
  if (set.has(former) && !set.has(until)) yield `${until} is not set; set it to when the previous secret expires`;
  if (set.has(until) && !set.has(former)) yield `${former} is not set; set it, or remove ${until}`;
  if (set.has(former) && set.has(until) && set.get(former) === set.get("WEBHOOK_SECRET"))
    yield `${former} is the same as WEBHOOK_SECRET; remove it`;
  const [id, secret] = ["GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"];
  if (set.has(id) !== set.has(secret))
    yield `${set.has(id) ? secret : id} is not set; it is on the App's settings page with the other one`;
  const dashboard = set.get("KODIAI_DASHBOARD_URL");
  const wrongOrigin = dashboard === undefined ? null : originProblem(dashboard);
  if (wrongOrigin !== null) yield `KODIAI_DASHBOARD_URL ${wrongOrigin.replace(/;.*/, "")}`;
  if (set.get("KODIAI_ADMIN_PORT") === (set.get("PORT") ?? "3000"))
    yield "KODIAI_ADMIN_PORT is the same as PORT; take another";
  const hosts = EnvVariables.shape.KODIAI_ALLOW_HTTP_HOSTS.safeParse(set.get("KODIAI_ALLOW_HTTP_HOSTS")).data ?? [];
  const api = set.get("KODIAI_GITHUB_API_URL");
  const wrongApi = api === undefined ? null : endpointProblem(api, hosts);
  if (wrongApi !== null) yield `KODIAI_GITHUB_API_URL ${wrongApi}`;
  const host = set.get("GHE_PROTOCOL") === "http" ? set.get("GHE_HOST") : undefined;
  if (host !== undefined && endpointProblem(`http://${host}`, hosts) !== null)
    yield "GHE_PROTOCOL must be `https`; plain http needs GHE_HOST in KODIAI_ALLOW_HTTP_HOSTS";
}

/** A test harness that ends the server at a named place sets these; see adapters/fail-point.ts. */
const OF_TESTS: ReadonlySet<string> = new Set(["KODIAI_FAIL_AT", "KODIAI_FAIL_HOW"]);

/** Variables that begin as ours and are none, each with the fix. */
export function unknownNames(env: Variables): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith("KODIAI_") && !OWN_NAMES.includes(name) && !OF_TESTS.has(name))
    .sort()
    .map((name) => {
      const near = didYouMean(name, OWN_NAMES);
      return `${shown(name)} is not a variable of Kodiai; ${near === null ? "remove it" : `did you mean ${near}?`}`;
    });
}

function toEnv(values: EnvVariables) {
  const {
    GITHUB_CLIENT_ID: clientId,
    GITHUB_CLIENT_SECRET: clientSecret,
    GHE_HOST: githubHost = "github.com",
  } = values;
  const { KODIAI_FORMER_WEBHOOK_SECRET: secret, KODIAI_FORMER_WEBHOOK_SECRET_UNTIL: until } = values;
  const { PORT: port, PRIVATE_KEY: pem = "", PRIVATE_KEY_PATH: path } = values;
  const adminPort = values.KODIAI_ADMIN_PORT ?? (port === 65_535 ? 65_534 : port + 1);
  /** Without a slash at the end. */
  const origin = values.KODIAI_DASHBOARD_URL ?? localDashboard(adminPort);
  return {
    appId: values.APP_ID,
    privateKey: path === undefined ? ({ kind: "pem", pem } as const) : ({ kind: "file", path } as const),
    webhookSecret: values.WEBHOOK_SECRET,
    /** The previous secret, accepted until a moment (epoch ms); null when there is none. */
    formerSecret: secret === undefined || until === undefined ? null : { secret, until },
    webhookPath: values.WEBHOOK_PATH,
    port,
    host: values.HOST,
    adminPort,
    adminHost: values.KODIAI_ADMIN_HOST,
    dashboardToken: values.KODIAI_DASHBOARD_TOKEN ?? null,
    dashboardLogin: clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret, origin },
    githubHost,
    /** Base address of the REST API, without a slash at the end. */
    githubApiUrl: values.KODIAI_GITHUB_API_URL?.replace(/\/+$/, "") ?? apiUrlOf(githubHost, values.GHE_PROTOCOL),
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    /** As written; relative paths are resolved from the working directory. */
    dataDir: values.KODIAI_DATA_DIR,
    /** `postgres://…`; null: everything is stored in dataDir. */
    databaseUrl: values.DATABASE_URL ?? null,
    reviewerLogin: values.KODIAI_REVIEWER_LOGIN ?? null,
    dryRun: values.KODIAI_DRY_RUN,
    /** 1–16 */
    workers: values.KODIAI_WORKERS,
    /** Memory limit for the search index; null: derived from the machine's memory. */
    searchMemoryBytes: values.KODIAI_SEARCH_MEMORY_MB === undefined ? null : values.KODIAI_SEARCH_MEMORY_MB * 1e6,
  };
}
