// The process environment: one schema validates it, documents it and makes .env.example. Names of
// vendors are unchanged; ours begin with KODIAI_. Messages name the fix and never the value.

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
  PRIVATE_KEY: optional(pem, "The App's private key: PEM, with line breaks or `\\n`, or base64. Or PRIVATE_KEY_PATH."),
  PRIVATE_KEY_PATH: optional(z.string(), "File with the App's private key (PEM).", "./kodiai.private-key.pem"),
  WEBHOOK_SECRET: secret.describe(
    "Secret of the App's webhook: at least 32 characters, 8 of them different. Make one with `openssl rand -hex 32`.",
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
    "The previous webhook secret, while you change it; accepted until KODIAI_FORMER_WEBHOOK_SECRET_UNTIL.",
  ),
  KODIAI_FORMER_WEBHOOK_SECRET_UNTIL: optional(
    z
      .string()
      .refine(
        (text) => MOMENT.test(text) && !Number.isNaN(Date.parse(text)),
        "must be a moment in UTC: 2026-01-31T18:00:00Z",
      )
      .transform((text) => Date.parse(text)),
    "When the previous secret ends: `2026-01-31T18:00:00Z`. Required with it.",
    "2026-01-31T18:00:00Z",
  ),
  HOST: z
    .string()
    .default("localhost")
    .refine((host) => /^[\w.:-]{1,255}$/.test(host), "must be a host name or an address")
    .describe("Address that the webhook server listens on; in a container `0.0.0.0`."),
  KODIAI_ADMIN_PORT: optional(
    wholeNumber(1, 65_535).transform(Number),
    "Port of the dashboard, /healthz, /readyz and /metrics. Without it: the one after PORT.",
    "3001",
  ),
  KODIAI_ADMIN_HOST: z
    .string()
    .default("127.0.0.1")
    .refine((host) => /^[\w.:-]{1,255}$/.test(host), "must be a host name or an address")
    .describe("Address that KODIAI_ADMIN_PORT listens on. Keep it private: only the dashboard has a login."),
  KODIAI_DASHBOARD_TOKEN: optional(
    secret,
    "Token that opens the dashboard; made like WEBHOOK_SECRET. Without it and GITHUB_CLIENT_ID the dashboard is closed.",
  ),
  GITHUB_CLIENT_ID: optional(
    z.string().regex(/^[\w.-]{5,100}$/, "must be the client ID on the App's settings page"),
    "Client ID of the App. With GITHUB_CLIENT_SECRET, people log in to the dashboard with GitHub.",
    "Iv23liABCDEFabcdef12",
  ),
  GITHUB_CLIENT_SECRET: optional(apiKey, "Client secret of the App; it also seals the dashboard's sessions."),
  KODIAI_DASHBOARD_URL: optional(
    z.string().transform((address) => address.replace(/\/+$/, "")),
    "Where people reach the dashboard, without a path: https, or loopback. The App needs it with `/login/github/callback` as a callback URL. Without it: KODIAI_ADMIN_PORT on 127.0.0.1.",
    "https://kodiai.example.com",
  ),
  GHE_HOST: optional(
    z
      .string()
      .transform((host) => host.toLowerCase())
      .refine((host) => hostName.test(host), "must be a host name without https:// and path"),
    "A GitHub Enterprise Server, or `SUBDOMAIN.ghe.com` with data residency. Without it: github.com.",
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
    .describe("`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`."),
  LOG_FORMAT: z
    .enum(["json", "pretty"], "must be `json` or `pretty`")
    .default("json")
    .describe("`json` for machines, `pretty` for people."),
  KODIAI_DATA_DIR: z
    .string()
    .default("./data")
    .refine((path) => !path.includes("\0"), "must be a folder's path")
    .describe("Folder for the databases, on a local disk. Back it up."),
  DATABASE_URL: optional(
    z
      .string()
      .refine(
        (url) => /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url),
        "must be an address like postgres://USER:PASSWORD@HOST:5432/DATABASE",
      ),
    "A PostgreSQL (`postgres://…`; 15 or newer, pgvector 0.7 or newer) that keeps everything, for any number of processes. Without it: KODIAI_DATA_DIR.",
    "postgres://kodiai:PASSWORD@db.example.com:5432/kodiai",
  ),
  KODIAI_REVIEWER_LOGIN: optional(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/, "must be a GitHub login without @"),
    "A user account whose requested review Kodiai writes.",
    "kodiai-reviewer",
  ),
  KODIAI_DRY_RUN: flag.describe(
    "`true`: record reviews, but post and remember none. Documents and past reviews are remembered.",
  ),
  KODIAI_ALLOW_HTTP_HOSTS: hostList
    .describe("Hosts, with commas, that may be reached over plain http, like loopback.")
    .meta({ examples: ["ollama:11434"] }),
  KODIAI_ALLOW_PRIVATE_HOSTS: hostList
    .describe(
      "Hosts, with commas, that may have a private address, such as a model in your own network; also those in KODIAI_ALLOW_HTTP_HOSTS.",
    )
    .meta({ examples: ["github.example.com"] }),
  KODIAI_WORKERS: wholeNumber(1, 16)
    .default("3")
    .transform(Number)
    .describe("Reviews at the same time, 1–16; one repository gets all but one."),
  KODIAI_SEARCH_MEMORY_MB: optional(
    wholeNumber(64, 65_536).transform(Number),
    "Memory limit of the search index, in MB, 64–65536; a thousand memories take about .7 to 1.1. Of what does not fit, the newest is searched. Without it: an eighth of the machine's memory, 256 to 2000.",
    "2000",
  ),
  KODIAI_GITHUB_API_URL: optional(
    z.string(),
    "Address of GitHub's REST API, if it is not the usual one; overrides GHE_HOST.",
    "https://github.example.com/api/v3",
  ),
  VOYAGE_API_KEY: optional(
    apiKey,
    "Key of Voyage AI, to which code and comments are sent, unless KODIAI_EMBEDDINGS says otherwise.",
  ),
  KODIAI_EMBEDDINGS: optional(
    z.enum(["local", "voyage", "http"], "must be `local`, `voyage` or `http`"),
    "What makes vectors: `local` (built in), `voyage`, or `http` (a server like Ollama, vLLM, LM Studio). Without it: `voyage` with VOYAGE_API_KEY, else `local`. After a change, old memories are found by words until embedded again.",
    "http",
  ),
  KODIAI_EMBEDDINGS_URL: optional(
    z.string(),
    "Address of the server for `http`; for `voyage` in place of the usual one, also of the reranker.",
    "http://localhost:11434",
  ),
  KODIAI_EMBEDDINGS_MODEL: optional(
    modelName,
    "The embedding model. Required for `http`; for `voyage`: voyage-code-3.",
    "nomic-embed-text",
  ),
  KODIAI_EMBEDDINGS_DIMENSION: optional(
    wholeNumber(2, 16_384).transform(Number),
    "Length of a vector. Without it: 1024 of `voyage`, for `http` that of the first answer.",
    "768",
  ),
  KODIAI_EMBEDDINGS_API_KEY: optional(apiKey, "Bearer token for the server of `http`, if it needs one."),
  KODIAI_SCORE_THRESHOLD: optional(
    z
      .string()
      .regex(/^(?:0|1|[01]?\.\d{1,4})$/, "must be a similarity from 0 to 1, such as .7")
      .transform(Number)
      .refine((score) => score <= 1, "must be a similarity from 0 to 1, such as .7"),
    "Least cosine similarity, 0–1, at which the vector alone admits a memory, unless `knowledge.retrieval.distanceThreshold` is set. Without it: as calibrated.",
    ".7",
  ),
  ANTHROPIC_API_KEY: optional(
    apiKey,
    "Key of Anthropic, or of the server at ANTHROPIC_BASE_URL. With one of these, or of OPENAI_*, changes are sent there; with none rules and memory review alone.",
  ),
  ANTHROPIC_BASE_URL: optional(
    z.string(),
    "Another server with Anthropic's Messages API. Plain http only for loopback and KODIAI_ALLOW_HTTP_HOSTS.",
    "http://localhost:11434",
  ),
  OPENAI_API_KEY: optional(apiKey, "Key of OpenAI, or of the server at OPENAI_BASE_URL, if that needs one."),
  OPENAI_BASE_URL: optional(
    z.string(),
    "Another server with OpenAI's chat completions; docs/models.md has addresses. Plain http only for loopback and KODIAI_ALLOW_HTTP_HOSTS.",
    "http://localhost:11434/v1",
  ),
  KODIAI_MODEL_PROVIDER: optional(
    z.enum(["anthropic", "openai"], "must be `anthropic` or `openai`"),
    "`anthropic` or `openai`, if both are set up. Without it: `anthropic`.",
    "openai",
  ),
  KODIAI_MODEL: optional(
    modelName,
    "The model that writes reviews. Without it: `claude-sonnet-5-5`, or `gpt-6.1-sol` of OpenAI.",
    "claude-opus-5-5",
  ),
  KODIAI_SMALL_MODEL: optional(
    modelName,
    "The cheaper model for short questions. Without it: `claude-haiku-5-5`, `gpt-6-luna` of OpenAI, or KODIAI_MODEL on another server.",
    "claude-haiku-5-5",
  ),
  KODIAI_MODEL_PRICE: optional(
    modelPrice,
    "Price of KODIAI_MODEL: US$ for a million tokens in and out (`2/10`), or `0`. Without it: as known for the model. A budget in US$ needs a price.",
    "2/10",
  ),
  KODIAI_SMALL_MODEL_PRICE: optional(
    modelPrice,
    "Price of KODIAI_SMALL_MODEL. Without it: as known, or KODIAI_MODEL_PRICE if both are one model.",
    "0.5/2",
  ),
  KODIAI_MODEL_STRUCTURED_OUTPUT: z
    .enum(["auto", "on", "off"], "must be `auto`, `on` or `off`")
    .default("auto")
    .describe(
      "Whether the server enforces the JSON Schema of replies. `auto`: if it accepts one, else in the prompt. `on`: always, with effort and prompt caching, or the question fails. `off`: in the prompt.",
    ),
  KODIAI_MODEL_TEMPERATURE: optional(
    z
      .string()
      .regex(/^(?:[01](?:\.\d{1,3})?|2(?:\.0{1,3})?)$/, "must be a number from 0 to 2")
      .transform(Number),
    "Sampling temperature, not for Anthropic's own models. Without it, the server decides.",
    "0.2",
  ),
  KODIAI_MODEL_CONTEXT_TOKENS: optional(
    wholeNumber(4_096, 10_000_000).transform(Number),
    "Tokens of prompt and reply together. Without it: as known for the model, else 32000. Set it to your server's: some cut longer prompts silently.",
    "65536",
  ),
  KODIAI_RERANKER: z
    .enum(["off", "voyage"], "must be `off` or `voyage`")
    .default("off")
    .describe(
      "`voyage` (with VOYAGE_API_KEY) sends found memories and changed code to Voyage AI: about half a cent a pull request, two for a large one.",
    ),
  KODIAI_RERANKER_MODEL: optional(modelName, "The reranking model. Without it: rerank-2.5.", "rerank-2.5-lite"),
  KODIAI_USD_PER_MONTH: optional(
    z
      .string()
      .regex(/^\d{1,6}(?:\.\d{1,4})?$/, "must be an amount in US$, such as 200 or 49.50")
      .transform(Number),
    "At most this many US$ a calendar month (UTC) for all repositories together; then rules and memory review alone. `review.budget` limits each repository.",
    "200",
  ),
  KODIAI_REPOSITORY_PERCENT: wholeNumber(1, 100)
    .default("50")
    .transform(Number)
    .describe("Percentage of KODIAI_USD_PER_MONTH that one repository may use, 1–100."),
  HTTPS_PROXY: optional(
    proxy,
    "Proxy for https; also in lower case, like the next two.",
    "http://proxy.example.com:3128",
  ),
  HTTP_PROXY: optional(proxy, "Proxy for http.", "http://proxy.example.com:3128"),
  NO_PROXY: optional(
    z.string(),
    "Reached without a proxy: hosts with their subdomains and addresses, each with or without `:PORT`, with commas; `*`: all. Loopback and names without a dot always are.",
    "localhost,.internal.example.com",
  ),
  NODE_EXTRA_CA_CERTS: optional(
    z.string(),
    "File with further certificate authorities (PEM); Node reads it, so not from `.env`.",
    "/etc/ssl/private-ca.pem",
  ),
});
export type EnvVariables = z.infer<typeof EnvVariables>;

/** The values, or one line per problem: the variable and its fix, never its value. */
export function readVariables<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  set: ReadonlyMap<string, string>,
): { readonly values: z.infer<typeof schema> } | { readonly problems: readonly string[] } {
  const parsed = schema.safeParse(Object.fromEntries(set));
  if (parsed.success) return { values: parsed.data };
  return { problems: parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`) };
}

const SCHEMA = z.toJSONSchema(EnvVariables, { io: "input", target: "draft-7" });

/** In the order of the schema; null where a variable has no default or example. */
export const ENV_VARIABLES = Object.entries(EnvVariables.shape).map(([name, schema]) => {
  const property = SCHEMA.properties?.[name];
  const fallback = typeof property === "object" ? property.default : undefined;
  // JSON Schema leaves out the examples of transformed values.
  const { description, examples } = schema.meta() as { description?: string; examples?: readonly string[] };
  return {
    name,
    description: description ?? "",
    default: typeof fallback === "string" && fallback !== "" ? fallback : null,
    example: examples?.[0] ?? null,
    required: SCHEMA.required?.includes(name) ?? false,
  };
});
