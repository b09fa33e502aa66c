// The process environment: one schema that validates it, documents it and makes .env.example. Names of vendors are unchanged
// (Probot, Node, proxies); ours begin with KODIAI_. Messages name the fix and never the value.

import { z } from "zod";
import {
  apiKey,
  flag,
  hostList,
  hostName,
  MOMENT,
  modelName,
  modelPrice,
  pem,
  proxy,
  secret,
  wholeNumber,
} from "./env-forms.ts";

function optional<Schema extends z.ZodType>(schema: Schema, description: string, example?: string) {
  return schema.optional().meta({ description, ...(example === undefined ? {} : { examples: [example] }) });
}

/** Values from the environment, trimmed; empty ones count as not set. */
export const EnvVariables = z.object({
  APP_ID: z
    .string("is not set; it is the number on the App's settings page")
    .regex(/^[1-9]\d{0,14}$/, "must be the number on the App's settings page")
    .transform(Number)
    .describe("The GitHub App's id, from its settings page."),
  PRIVATE_KEY: optional(
    pem,
    "The App's private key itself: PEM, with real line breaks, with `\\n`, or in base64. Instead of PRIVATE_KEY_PATH.",
  ),
  PRIVATE_KEY_PATH: optional(
    z.string(),
    "File that holds the App's private key (PEM). Instead of PRIVATE_KEY.",
    "./kodiai.private-key.pem",
  ),
  WEBHOOK_SECRET: secret.describe(
    "The secret that the App's webhook is signed with: at least 32 characters, 8 of them different, no placeholder. Make one with `openssl rand -hex 32`.",
  ),
  WEBHOOK_PATH: z
    .string()
    .default("/api/github/webhooks")
    .refine(
      (path) => /^(\/[\w.~-]+)+$/.test(path) && !["/healthz", "/readyz", "/ping", "/metrics"].includes(path),
      "must be a path such as /api/github/webhooks, and not one that Kodiai answers itself",
    )
    .describe("Where GitHub delivers webhooks."),
  PORT: wholeNumber(1, 65_535).default("3000").transform(Number).describe("Port of the webhook server."),
  KODIAI_FORMER_WEBHOOK_SECRET: optional(
    secret,
    "The previous webhook secret, while you rotate it. Deliveries signed with it are accepted until KODIAI_FORMER_WEBHOOK_SECRET_UNTIL.",
  ),
  KODIAI_FORMER_WEBHOOK_SECRET_UNTIL: optional(
    z
      .string()
      .refine(
        (text) => MOMENT.test(text) && !Number.isNaN(Date.parse(text)),
        "must be a moment in UTC: 2026-01-31T18:00:00Z",
      )
      .transform((text) => Date.parse(text)),
    "When the previous secret stops being accepted, in UTC. Required with it.",
    "2026-01-31T18:00:00Z",
  ),
  HOST: z
    .string()
    .default("localhost")
    .refine((host) => /^[\w.:-]{1,255}$/.test(host), "must be a host name or an address")
    .describe("Address the webhook server listens on. In a container: `0.0.0.0`."),
  KODIAI_ADMIN_PORT: optional(
    wholeNumber(1, 65_535).transform(Number),
    "Port of the dashboard, /healthz, /readyz and /metrics, for the operator. Without it: the one after PORT. The webhook port serves only deliveries and a bare /healthz.",
    "3001",
  ),
  KODIAI_ADMIN_HOST: z
    .string()
    .default("127.0.0.1")
    .refine((host) => /^[\w.:-]{1,255}$/.test(host), "must be a host name or an address")
    .describe(
      "Address that KODIAI_ADMIN_PORT listens on. Only the dashboard has a login: keep it on loopback, or on a network of your own.",
    ),
  KODIAI_DASHBOARD_TOKEN: optional(
    secret,
    "Token that opens the dashboard at KODIAI_ADMIN_PORT: at least 32 characters, 8 of them different, no placeholder. Make one with `openssl rand -hex 32`. Without it and without GITHUB_CLIENT_ID the dashboard is closed.",
  ),
  GITHUB_CLIENT_ID: optional(
    z.string().regex(/^[\w.-]{5,100}$/, "must be the client ID on the App's settings page"),
    "Client ID of the GitHub App. With it and GITHUB_CLIENT_SECRET people log in to the dashboard with GitHub, and see the repositories that they may write to.",
    "Iv23liABCDEFabcdef12",
  ),
  GITHUB_CLIENT_SECRET: optional(
    apiKey,
    "Client secret of the GitHub App, from its settings page. It also signs the sessions of the dashboard.",
  ),
  KODIAI_DASHBOARD_URL: optional(
    z.string().transform((address) => address.replace(/\/+$/, "")),
    "Where people reach the dashboard, without a path: https, or loopback. GitHub redirects them there after a login, so the App needs this address followed by `/login/github/callback` as a callback URL. Without it: KODIAI_ADMIN_PORT on 127.0.0.1.",
    "https://kodiai.example.com",
  ),
  GHE_HOST: optional(
    z
      .string()
      .transform((host) => host.toLowerCase())
      .refine((host) => hostName.test(host), "must be a host name without https:// and path"),
    "Host of a GitHub Enterprise Server, or `SUBDOMAIN.ghe.com` with data residency. Without it: github.com.",
    "github.example.com",
  ),
  GHE_PROTOCOL: z
    .enum(["https", "http"], "must be `https` or `http`")
    .default("https")
    .describe("Protocol of GHE_HOST. `http` only for loopback and hosts in KODIAI_ALLOW_HTTP_HOSTS."),
  LOG_LEVEL: z
    .enum(
      ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
      "must be one of trace, debug, info, warn, error, fatal, silent",
    )
    .default("info")
    .describe("How much is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`."),
  LOG_FORMAT: z
    .enum(["json", "pretty"], "must be `json` or `pretty`")
    .default("json")
    .describe("`json` for machines, `pretty` for people."),
  KODIAI_DATA_DIR: z
    .string()
    .default("./data")
    .refine((path) => !path.includes("\0"), "must be a folder's path")
    .describe("Folder for the databases. Keep it on a local disk and back it up."),
  DATABASE_URL: optional(
    z
      .string()
      .refine(
        (url) => /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url),
        "must be an address like postgres://USER:PASSWORD@HOST:5432/DATABASE",
      ),
    "A PostgreSQL (15 or newer, with pgvector 0.7 or newer) that keeps everything, for several processes at a time. Without it everything is kept in KODIAI_DATA_DIR, for the processes of one machine.",
    "postgres://kodiai:PASSWORD@db.example.com:5432/kodiai",
  ),
  KODIAI_REVIEWER_LOGIN: optional(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/, "must be a GitHub login without @"),
    "Login of a user account: requesting its review asks Kodiai for one (an App itself cannot be requested).",
    "kodiai-reviewer",
  ),
  KODIAI_DRY_RUN: flag.describe(
    "`true`: write and record reviews, but post nothing, and remember nothing from reviews that were not posted. Documents and past reviews are still read into memory.",
  ),
  KODIAI_ALLOW_HTTP_HOSTS: hostList
    .describe("Hosts, separated by commas, that may be reached over plain http. Loopback always may.")
    .meta({ examples: ["ollama:11434"] }),
  KODIAI_ALLOW_PRIVATE_HOSTS: hostList
    .describe(
      "Hosts, separated by commas, that may have a private address: a GitHub Enterprise Server, a model or an embedder in your own network. Any other host at such an address is refused, also when DNS resolves to one. Those in KODIAI_ALLOW_HTTP_HOSTS may too.",
    )
    .meta({ examples: ["github.example.com"] }),
  KODIAI_WORKERS: wholeNumber(1, 16)
    .default("3")
    .transform(Number)
    .describe("Reviews that run at the same time, 1–16. One repository gets at most all but one of them."),
  KODIAI_SEARCH_MEMORY_MB: optional(
    wholeNumber(64, 65_536).transform(Number),
    "Memory limit for the search index, in MB, 64–65536. A thousand memories take about .7 to 1.1; of a scope that does not fit, only the newest memories are searched, and the review reports it. Without it: an eighth of the machine's memory, at least 256 and at most 2000.",
    "2000",
  ),
  KODIAI_GITHUB_API_URL: optional(
    z.string(),
    "Base address of GitHub's REST API, if it is not the usual one; takes precedence over GHE_HOST.",
    "https://github.example.com/api/v3",
  ),
  VOYAGE_API_KEY: optional(
    apiKey,
    "Key of Voyage AI. With it, code and comments are sent there to be embedded, unless KODIAI_EMBEDDINGS says otherwise.",
  ),
  KODIAI_EMBEDDINGS: optional(
    z.enum(["local", "voyage", "http"], "must be `local`, `voyage` or `http`"),
    "What turns text into vectors: `local` (built in, nothing leaves the machine), `voyage`, or `http` (a server of OpenAI's shape: Ollama, vLLM, LM Studio). Without it: `voyage` if VOYAGE_API_KEY is set, else `local`. Vectors of different embedders are never compared: after a change, old memories are found by words alone until they are embedded again.",
    "http",
  ),
  KODIAI_EMBEDDINGS_URL: optional(
    z.string(),
    "Address of the server for `http`; without a path it gets `/v1`. For `voyage`: overrides the usual address, also of the reranker.",
    "http://localhost:11434",
  ),
  KODIAI_EMBEDDINGS_MODEL: optional(
    modelName,
    "The embedding model. Required for `http`; default for `voyage`: voyage-code-3.",
    "nomic-embed-text",
  ),
  KODIAI_EMBEDDINGS_DIMENSION: optional(
    wholeNumber(2, 16_384).transform(Number),
    "Length of a vector. Default for `voyage`: 1024; for `http`: the length of the first answer.",
    "768",
  ),
  KODIAI_EMBEDDINGS_API_KEY: optional(
    apiKey,
    "Sent to the server of `http` as a bearer token; local servers need none.",
  ),
  KODIAI_SCORE_THRESHOLD: optional(
    z
      .string()
      .regex(/^(?:0|1|[01]?\.\d{1,4})$/, "must be a similarity from 0 to 1, such as .7")
      .transform(Number)
      .refine((score) => score <= 1, "must be a similarity from 0 to 1, such as .7"),
    "Least cosine similarity, 0–1, at which the vector alone admits a memory, for all repositories that set no `knowledge.retrieval.distanceThreshold`; that is 1 − similarity. Without it: as calibrated for the embedder.",
    ".7",
  ),
  ANTHROPIC_API_KEY: optional(
    apiKey,
    "Key of Anthropic, or of the server at ANTHROPIC_BASE_URL. With one of the two, or with one of OPENAI_*, changes are sent there to be reviewed by a language model; with none of them Kodiai reviews with its rules and its memory alone.",
  ),
  ANTHROPIC_BASE_URL: optional(
    z.string(),
    "Address of another server that speaks Anthropic's Messages API: Ollama, LM Studio, vLLM, llama.cpp, LiteLLM. Plain http only for loopback and hosts in KODIAI_ALLOW_HTTP_HOSTS.",
    "http://localhost:11434",
  ),
  OPENAI_API_KEY: optional(
    apiKey,
    "Key of OpenAI, or of the server at OPENAI_BASE_URL. A server of your own may need none.",
  ),
  OPENAI_BASE_URL: optional(
    z.string(),
    "Address of a server that speaks OpenAI's chat completions: Azure, Gemini, OpenRouter, Ollama, vLLM, llama.cpp, LM Studio (docs/how-to.md has addresses). An address without a path gets `/v1`. Plain http only for loopback and hosts in KODIAI_ALLOW_HTTP_HOSTS.",
    "http://localhost:11434/v1",
  ),
  KODIAI_MODEL_PROVIDER: optional(
    z.enum(["anthropic", "openai"], "must be `anthropic` or `openai`"),
    "Which variables to use if both ANTHROPIC_* and OPENAI_* are set: `anthropic` or `openai`. Without it: `anthropic`.",
    "openai",
  ),
  KODIAI_MODEL: optional(
    modelName,
    "The model that writes reviews. Without it: `claude-sonnet-5-5`, or `gpt-6.1-sol` of OpenAI.",
    "claude-opus-5-5",
  ),
  KODIAI_SMALL_MODEL: optional(
    modelName,
    "The cheaper model for short questions. Without it: `claude-haiku-5-5`, or `gpt-6-luna` of OpenAI, or KODIAI_MODEL if that is set and the server is another.",
    "claude-haiku-5-5",
  ),
  KODIAI_MODEL_PRICE: optional(
    modelPrice,
    "What KODIAI_MODEL costs: US$ for a million tokens in and out, or `0` for a model of your own machine. Without it: as known for the model. A budget in US$ (KODIAI_USD_PER_MONTH, or `review.budget` of a repository) needs it for a model whose price Kodiai does not know.",
    "2/10",
  ),
  KODIAI_SMALL_MODEL_PRICE: optional(
    modelPrice,
    "The same for KODIAI_SMALL_MODEL. Without it: as known for the model, or KODIAI_MODEL_PRICE if both are one model.",
    "0.5/2",
  ),
  KODIAI_MODEL_STRUCTURED_OUTPUT: z
    .enum(["auto", "on", "off"], "must be `auto`, `on` or `off`")
    .default("auto")
    .describe(
      "Whether the server enforces the JSON Schema of replies. `auto`: if it accepts one; else the schema is in the prompt. `on` sends everything that Anthropic or OpenAI supports (schema, effort, prompt caching), and fails if the server refuses it. `off`: in the prompt only.",
    ),
  KODIAI_MODEL_TEMPERATURE: optional(
    z
      .string()
      .regex(/^(?:[01](?:\.\d{1,3})?|2(?:\.0{1,3})?)$/, "must be a number from 0 to 2")
      .transform(Number),
    "Sampling temperature for servers other than Anthropic's, whose models take none; left out if a model refuses it. Without it, the server decides.",
    "0.2",
  ),
  KODIAI_MODEL_CONTEXT_TOKENS: optional(
    wholeNumber(4_096, 10_000_000).transform(Number),
    "Context window: tokens of prompt and reply together. Without it: as known for the model, else 32000. Set it to what your server was started with: some truncate longer prompts silently.",
    "65536",
  ),
  KODIAI_RERANKER: z
    .enum(["off", "voyage"], "must be `off` or `voyage`")
    .default("off")
    .describe(
      "What reranks the memories that a search found: `off`, or `voyage`, which needs VOYAGE_API_KEY, sends memories and changed code to Voyage AI for every review, and costs money: at $.05 for a million tokens about half a cent for a usual pull request, two for a large one.",
    ),
  KODIAI_RERANKER_MODEL: optional(modelName, "The reranking model. Without it: rerank-2.5.", "rerank-2.5-lite"),
  KODIAI_USD_PER_MONTH: optional(
    z
      .string()
      .regex(/^\d{1,6}(?:\.\d{1,4})?$/, "must be an amount in US$, such as 200 or 49.50")
      .transform(Number),
    "At most this many US$ a calendar month (UTC) for all repositories together; then rules and memory review alone. Without it: only what each repository's `review.budget` says.",
    "200",
  ),
  KODIAI_REPOSITORY_PERCENT: wholeNumber(1, 100)
    .default("50")
    .transform(Number)
    .describe(
      "How much of KODIAI_USD_PER_MONTH one repository may use, in percent, 1–100. Use 100 if Kodiai serves one repository.",
    ),
  HTTPS_PROXY: optional(
    proxy,
    "Proxy for https requests. The lower-case name counts as well.",
    "http://proxy.example.com:3128",
  ),
  HTTP_PROXY: optional(
    proxy,
    "Proxy for http requests. The lower-case name counts as well.",
    "http://proxy.example.com:3128",
  ),
  NO_PROXY: optional(
    z.string(),
    "Hosts with their subdomains, addresses and ranges (`10.0.0.0/8`), each with `:PORT` where only that port is meant, separated by commas, that are reached without a proxy; `*`: all. Loopback and names without a dot always are. The lower-case name counts as well.",
    "localhost,.internal.example.com",
  ),
  NODE_EXTRA_CA_CERTS: optional(
    z.string(),
    "File with further certificate authorities (PEM), read by Node itself at its start, so not from `.env`.",
    "/etc/ssl/private-ca.pem",
  ),
});
export type EnvVariables = z.infer<typeof EnvVariables>;

/**
 * The values of some variables.
 *
 * @param set variables that are set, trimmed
 * @returns the values, or one line per problem: the variable and its fix, never its value
 */
export function readVariables<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  set: ReadonlyMap<string, string>,
): { readonly values: z.infer<typeof schema> } | { readonly problems: readonly string[] } {
  const parsed = schema.safeParse(Object.fromEntries(set));
  if (parsed.success) return { values: parsed.data };
  return { problems: parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`) };
}

const SCHEMA = z.toJSONSchema(EnvVariables, { io: "input", target: "draft-7" });

/** All variables for documents and messages, in the order of the schema; null where one has no default or example. */
export const ENV_VARIABLES = Object.entries(EnvVariables.shape).map(([name, schema]) => {
  const property = SCHEMA.properties?.[name];
  const fallback = typeof property === "object" ? property.default : undefined;
  // JSON Schema leaves out the examples of transformed values, so they are read from the schema itself.
  const { description, examples } = schema.meta() as { description?: string; examples?: readonly string[] };
  return {
    name,
    description: description ?? "",
    default: typeof fallback === "string" && fallback !== "" ? fallback : null,
    example: examples?.[0] ?? null,
    required: SCHEMA.required?.includes(name) ?? false,
  };
});
