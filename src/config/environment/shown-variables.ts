// The environment as the operator may see it: each variable with its origin, and its value unless it is secret.
import { ENV_VARIABLES } from "./env-variables.ts";

export interface ShownVariable {
  readonly name: string;
  /** Null if it is not set, or must not be shown. */
  readonly value: string | null;
  readonly origin: "environment" | ".env" | "default" | "not set";
}

/** Variables that are not listed are not shown: keys, secrets, and addresses that may contain a password. */
const SHOWN: ReadonlySet<string> = new Set(
  (
    "APP_ID WEBHOOK_PATH PORT HOST KODIAI_ADMIN_PORT KODIAI_ADMIN_HOST GHE_HOST GHE_PROTOCOL " +
    "LOG_LEVEL LOG_FORMAT KODIAI_DATA_DIR KODIAI_REVIEWER_LOGIN KODIAI_DRY_RUN KODIAI_WORKERS " +
    "KODIAI_FORMER_WEBHOOK_SECRET_UNTIL KODIAI_ALLOW_HTTP_HOSTS KODIAI_ALLOW_PRIVATE_HOSTS " +
    "KODIAI_EMBEDDINGS KODIAI_EMBEDDINGS_MODEL KODIAI_EMBEDDINGS_DIMENSION " +
    "KODIAI_MODEL_PROVIDER KODIAI_MODEL KODIAI_SMALL_MODEL KODIAI_MODEL_CONTEXT_TOKENS KODIAI_MODEL_TEMPERATURE " +
    "KODIAI_MODEL_STRUCTURED_OUTPUT KODIAI_MODEL_PRICE KODIAI_SMALL_MODEL_PRICE KODIAI_RERANKER KODIAI_RERANKER_MODEL " +
    "KODIAI_USD_PER_MONTH GITHUB_CLIENT_ID KODIAI_DASHBOARD_URL"
  ).split(" "),
);

/**
 * @param env the process's current environment
 * @param before names that were set before `.env` was read
 */
export function shownVariables(
  env: Readonly<Record<string, string | undefined>>,
  before: ReadonlySet<string>,
): readonly ShownVariable[] {
  return ENV_VARIABLES.map(({ name, default: fallback }): ShownVariable => {
    const value = (env[name] ?? "").trim();
    if (value === "") return { name, value: fallback, origin: fallback === null ? "not set" : "default" };
    return { name, value: SHOWN.has(name) ? value : null, origin: before.has(name) ? "environment" : ".env" };
  });
}

/** The variables that are set in `process.env`: name → value, trimmed; an empty value counts as not set. */
export function setVariables(env: Readonly<Record<string, string | undefined>>): Map<string, string> {
  const pairs = Object.entries(env).map(([name, value]) => [name, value?.trim() ?? ""] as const);
  return new Map(pairs.filter(([, value]) => value !== ""));
}
