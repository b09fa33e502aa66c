import { parseEnv } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { envExample } from "../../scripts/env-example.ts";
import { readEnv } from "../../src/config/environment/env.ts";
import { ENV_VARIABLES } from "../../src/config/environment/env-variables.ts";

/** SHA-256 of "test": random enough, and nobody's secret. */
const SECRET = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
/** SHA-256 of "test2". */
const FORMER = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752";
const PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----";
const GOOD = { APP_ID: "123456", PRIVATE_KEY_PATH: "./kodiai.pem", WEBHOOK_SECRET: SECRET };

function accepted(variables: Record<string, string | undefined>) {
  const read = readEnv({ ...GOOD, ...variables });
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return read.env;
}

function refused(variables: Record<string, string | undefined>): readonly string[] {
  const read = readEnv({ ...GOOD, ...variables });
  return "problems" in read ? read.problems : [];
}

test("three variables are enough, and everything else has its default", () => {
  expect(accepted({})).toEqual({
    appId: 123456,
    privateKey: { kind: "file", path: "./kodiai.pem" },
    webhookSecret: SECRET,
    formerSecret: null,
    webhookPath: "/api/github/webhooks",
    port: 3000,
    host: "localhost",
    adminPort: 3001,
    adminHost: "127.0.0.1",
    githubHost: "github.com",
    githubApiUrl: "https://api.github.com",
    logLevel: "info",
    logFormat: "json",
    dataDir: "./data",
    dashboardToken: null,
    dashboardLogin: null,
    databaseUrl: null,
    searchMemoryBytes: null,
    reviewerLogin: null,
    dryRun: false,
    workers: 3,
    embeddings: { kind: "local" },
    model: null,
    reranker: { kind: "off" },
  });
});

test("every variable is read", () => {
  const env = accepted({
    PRIVATE_KEY_PATH: undefined,
    PRIVATE_KEY: PEM,
    WEBHOOK_PATH: "/hooks/github",
    KODIAI_FORMER_WEBHOOK_SECRET: FORMER,
    KODIAI_FORMER_WEBHOOK_SECRET_UNTIL: "2026-01-31T18:00:00Z",
    PORT: "8080",
    HOST: "0.0.0.0",
    KODIAI_ADMIN_PORT: "9090",
    KODIAI_ADMIN_HOST: "::1",
    GHE_HOST: "GitHub.Example.com",
    GHE_PROTOCOL: "https",
    LOG_LEVEL: "debug",
    LOG_FORMAT: "pretty",
    KODIAI_DATA_DIR: "/var/lib/kodiai",
    DATABASE_URL: "postgres://kodiai:secret@db.example.com/kodiai",
    GITHUB_CLIENT_ID: "Iv23liABCDEFabcdef12",
    GITHUB_CLIENT_SECRET: "0123456789abcdef0123456789abcdef01234567",
    KODIAI_DASHBOARD_URL: "https://kodiai.example.com/",
    KODIAI_DASHBOARD_TOKEN: "a-token-of-thirty-two-characters-",
    KODIAI_SEARCH_MEMORY_MB: "512",
    KODIAI_REVIEWER_LOGIN: "kodiai-reviewer",
    KODIAI_DRY_RUN: "1",
    KODIAI_ALLOW_HTTP_HOSTS: "ollama:11434, Build.Internal",
    KODIAI_WORKERS: "16",
    VOYAGE_API_KEY: "pa-123456789",
    KODIAI_EMBEDDINGS: "http",
    KODIAI_EMBEDDINGS_URL: "http://ollama:11434/",
    KODIAI_EMBEDDINGS_MODEL: "nomic-embed-text:v1.5",
    KODIAI_EMBEDDINGS_DIMENSION: "768",
    KODIAI_EMBEDDINGS_API_KEY: "local-key-1",
    ANTHROPIC_API_KEY: "local-key-2",
    ANTHROPIC_BASE_URL: "http://ollama:11434/v1",
    KODIAI_MODEL: "qwen3-coder:30b",
    KODIAI_SMALL_MODEL: "qwen3:4b",
    KODIAI_MODEL_PRICE: "0.5/2",
    KODIAI_SMALL_MODEL_PRICE: "0",
    KODIAI_MODEL_STRUCTURED_OUTPUT: "on",
    KODIAI_MODEL_TEMPERATURE: "0",
    KODIAI_MODEL_CONTEXT_TOKENS: "32768",
    KODIAI_RERANKER: "voyage",
    KODIAI_RERANKER_MODEL: "rerank-2.5-lite",
    KODIAI_USD_PER_MONTH: "49.50",
    KODIAI_REPOSITORY_PERCENT: "100",
    HTTPS_PROXY: "http://proxy.example.com:3128",
    http_proxy: "http://lower.example.com:3128",
    NO_PROXY: ".internal",
  });
  expect(env).toEqual({
    appId: 123456,
    privateKey: { kind: "pem", pem: PEM },
    webhookSecret: SECRET,
    formerSecret: { secret: FORMER, until: Date.UTC(2026, 0, 31, 18) },
    webhookPath: "/hooks/github",
    port: 8080,
    host: "0.0.0.0",
    adminPort: 9090,
    adminHost: "::1",
    githubHost: "github.example.com",
    githubApiUrl: "https://github.example.com/api/v3",
    logLevel: "debug",
    logFormat: "pretty",
    dataDir: "/var/lib/kodiai",
    databaseUrl: "postgres://kodiai:secret@db.example.com/kodiai",
    dashboardLogin: {
      clientId: "Iv23liABCDEFabcdef12",
      clientSecret: "0123456789abcdef0123456789abcdef01234567",
      origin: "https://kodiai.example.com",
    },
    dashboardToken: "a-token-of-thirty-two-characters-",
    searchMemoryBytes: 512_000_000,
    reviewerLogin: "kodiai-reviewer",
    dryRun: true,
    workers: 16,
    embeddings: {
      kind: "http",
      baseUrl: "http://ollama:11434",
      model: "nomic-embed-text:v1.5",
      dimension: 768,
      apiKey: "local-key-1",
    },
    model: {
      provider: "anthropic",
      apiKey: "local-key-2",
      baseUrl: "http://ollama:11434",
      names: { main: "qwen3-coder:30b", small: "qwen3:4b" },
      prices: { main: { input: 0.5, output: 2 }, small: { input: 0, output: 0 } },
      structuredOutput: "on",
      temperature: 0,
      contextTokens: 32_768,
      usdPerMonth: 49.5,
      repositoryPercent: 100,
    },
    reranker: {
      kind: "voyage",
      apiKey: "pa-123456789",
      baseUrl: null,
      model: "rerank-2.5-lite",
    },
  });
});

test("the private key may come with \\n for line breaks, or in base64", () => {
  for (const PRIVATE_KEY of [PEM.replaceAll("\n", "\\n"), Buffer.from(PEM).toString("base64")]) {
    expect(accepted({ PRIVATE_KEY, PRIVATE_KEY_PATH: "" }).privateKey).toEqual({ kind: "pem", pem: PEM });
  }
});

test("nothing set: all that is missing is reported at once", () => {
  expect(readEnv({})).toEqual({
    problems: [
      "APP_ID is not set; it is the number on the App's settings page",
      "WEBHOOK_SECRET is not set; make one with `openssl rand -hex 32`",
      "PRIVATE_KEY_PATH is not set; point it at the App's private key, or set PRIVATE_KEY",
    ],
  });
});

describe("a wrong value is refused with its fix", () => {
  test.each([
    ["APP_ID", "Iv1.8a61f9b3a7aba766", "APP_ID must be the number on the App's settings page"],
    ["APP_ID", "0", "APP_ID must be the number on the App's settings page"],
    [
      "WEBHOOK_PATH",
      "api/github",
      "WEBHOOK_PATH must be a path such as /api/github/webhooks, and not one that Kodiai answers itself",
    ],
    [
      "WEBHOOK_PATH",
      "/healthz",
      "WEBHOOK_PATH must be a path such as /api/github/webhooks, and not one that Kodiai answers itself",
    ],
    ["PORT", "0", "PORT must be a whole number from 1 to 65535"],
    ["PORT", "3e3", "PORT must be a whole number from 1 to 65535"],
    ["PORT", "65536", "PORT must be a whole number from 1 to 65535"],
    ["HOST", "http://localhost", "HOST must be a host name or an address"],
    ["GHE_HOST", "https://github.example.com/", "GHE_HOST must be a host name without https:// and path"],
    ["GHE_PROTOCOL", "ftp", "GHE_PROTOCOL must be `https` or `http`"],
    ["LOG_LEVEL", "verbose", "LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent"],
    ["LOG_FORMAT", "text", "LOG_FORMAT must be `json` or `pretty`"],
    ["KODIAI_REVIEWER_LOGIN", "@octocat", "KODIAI_REVIEWER_LOGIN must be a GitHub login without @"],
    ["KODIAI_DRY_RUN", "yes", "KODIAI_DRY_RUN must be `true` or `false`"],
    [
      "KODIAI_ALLOW_HTTP_HOSTS",
      "http://ollama",
      "KODIAI_ALLOW_HTTP_HOSTS must be host names separated by commas, without http://",
    ],
    ["VOYAGE_API_KEY", "pa-1234 5678", "VOYAGE_API_KEY must be the key alone: one line without spaces"],
    ["KODIAI_EMBEDDINGS", "openai", "KODIAI_EMBEDDINGS must be `local`, `voyage` or `http`"],
    ["KODIAI_EMBEDDINGS_MODEL", "a model", "KODIAI_EMBEDDINGS_MODEL must be the name of a model"],
    ["KODIAI_EMBEDDINGS_DIMENSION", "1", "KODIAI_EMBEDDINGS_DIMENSION must be a whole number from 2 to 16384"],
    ["KODIAI_WORKERS", "17", "KODIAI_WORKERS must be a whole number from 1 to 16"],
    ["KODIAI_WORKERS", "-1", "KODIAI_WORKERS must be a whole number from 1 to 16"],
    [
      "KODIAI_GITHUB_API_URL",
      "http://github.example.com/api/v3",
      "KODIAI_GITHUB_API_URL must begin with https://; plain http needs its host in KODIAI_ALLOW_HTTP_HOSTS",
    ],
    [
      "KODIAI_GITHUB_API_URL",
      "https://user:pass@github.example.com",
      "KODIAI_GITHUB_API_URL must not hold a user name or password",
    ],
    ["HTTPS_PROXY", "proxy.example.com:3128", "HTTPS_PROXY must be a whole address: http://HOST:PORT"],
    ["PRIVATE_KEY", "hunter2", "PRIVATE_KEY must be the App's private key in PEM form: -----BEGIN … PRIVATE KEY-----"],
  ])("%s=%s", (name, value, problem) => {
    const other = name === "PRIVATE_KEY" ? { PRIVATE_KEY_PATH: undefined } : {};
    expect(refused({ [name]: value, ...other })).toEqual([problem]);
  });

  test("a former secret without its end, an end without a secret, one that could be guessed, and the same one twice", () => {
    const until = "2026-01-31T18:00:00Z";
    expect(refused({ KODIAI_FORMER_WEBHOOK_SECRET: FORMER })).toEqual([
      "KODIAI_FORMER_WEBHOOK_SECRET_UNTIL is not set; set it to when the previous secret expires",
    ]);
    expect(refused({ KODIAI_FORMER_WEBHOOK_SECRET_UNTIL: until })).toEqual([
      "KODIAI_FORMER_WEBHOOK_SECRET is not set; set it, or remove KODIAI_FORMER_WEBHOOK_SECRET_UNTIL",
    ]);
    expect(refused({ KODIAI_FORMER_WEBHOOK_SECRET: "development", KODIAI_FORMER_WEBHOOK_SECRET_UNTIL: until })).toEqual(
      [expect.stringMatching(/^KODIAI_FORMER_WEBHOOK_SECRET is shorter than 32 characters/)],
    );
    expect(refused({ KODIAI_FORMER_WEBHOOK_SECRET: SECRET, KODIAI_FORMER_WEBHOOK_SECRET_UNTIL: until })).toEqual([
      "KODIAI_FORMER_WEBHOOK_SECRET is the same as WEBHOOK_SECRET; remove it",
    ]);
    for (const wrong of ["tomorrow", "2026-01-31", "2026-01-31T18:00:00+02:00", "2026-13-01T00:00:00Z"])
      expect(refused({ KODIAI_FORMER_WEBHOOK_SECRET: FORMER, KODIAI_FORMER_WEBHOOK_SECRET_UNTIL: wrong })).toEqual([
        "KODIAI_FORMER_WEBHOOK_SECRET_UNTIL must be a moment in UTC: 2026-01-31T18:00:00Z",
      ]);
  });

  test("one port for the public and for the operator", () => {
    expect(refused({ KODIAI_ADMIN_PORT: "3000" })).toEqual(["KODIAI_ADMIN_PORT is the same as PORT; take another"]);
    expect(accepted({ PORT: "65535" }).adminPort).toBe(65_534);
  });

  test("both forms of the key", () => {
    expect(refused({ PRIVATE_KEY: PEM })).toEqual(["PRIVATE_KEY and PRIVATE_KEY_PATH are both set; keep one of them"]);
  });

  test("plain http to GitHub Enterprise, unless its host is listed or loopback", () => {
    const plain = { GHE_HOST: "github.example.com", GHE_PROTOCOL: "http" };
    expect(refused(plain)).toEqual([
      "GHE_PROTOCOL must be `https`; plain http needs GHE_HOST in KODIAI_ALLOW_HTTP_HOSTS",
    ]);
    expect(accepted({ ...plain, KODIAI_ALLOW_HTTP_HOSTS: "github.example.com" }).githubApiUrl).toBe(
      "http://github.example.com/api/v3",
    );
    expect(accepted({ KODIAI_GITHUB_API_URL: "http://127.0.0.1:4010/" }).githubApiUrl).toBe("http://127.0.0.1:4010");
  });
});

describe("a secret that could be guessed keeps the server from starting", () => {
  test.each([
    "development",
    "changeme",
    "0123456789abcdef0123456789abcde",
    "a".repeat(64),
    "abcabcabcabcabcabcabcabcabcabcabcabc",
    "developmentdevelopmentdevelopment",
    "my-webhook-secret-please-change-me!",
    "your_github_webhook_secret_goes_here",
    "this-is-a-long-random-test-secret-string",
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "0123456789abcdef0123456789abcdef",
    "zyxwvutsrqponmlkjihgfedcba9876543210",
    "q7kqmm7xk7qxmqk77mxqkxmq7kkmxq7mqxkm",
  ])("%s", (WEBHOOK_SECRET) => {
    const problems = refused({ WEBHOOK_SECRET });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^WEBHOOK_SECRET .*; make one with `openssl rand -hex 32`/);
  });

  test("any 32 random bytes in hex are accepted", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        fc.pre(new Set(bytes).size > 20);
        const WEBHOOK_SECRET = Buffer.from(bytes).toString("hex");
        fc.pre(new Set(WEBHOOK_SECRET).size >= 8);
        expect(accepted({ WEBHOOK_SECRET }).webhookSecret).toBe(WEBHOOK_SECRET);
      }),
    );
  });
});

test("a misspelt variable of the model is named with the intended one, and its problems are reported with the others", () => {
  expect(refused({ KODIAI_MODELL: "x", ANTHROPIC_BASE_URL: "ftp://x.example", PORT: "x" })).toEqual([
    "PORT must be a whole number from 1 to 65535",
    "ANTHROPIC_BASE_URL must begin with https://",
    "KODIAI_MODELL is not a variable of Kodiai; did you mean KODIAI_MODEL?",
  ]);
});

test("an unknown KODIAI_ variable is refused, with the one that was meant; other programs' variables are none of ours", () => {
  expect(refused({ KODIAI_WORKER: "2", KODIAI_ZEBRA: "1", PATH: "/bin", PROBOT_X: "1" })).toEqual([
    "KODIAI_WORKER is not a variable of Kodiai; did you mean KODIAI_WORKERS?",
    "KODIAI_ZEBRA is not a variable of Kodiai; remove it",
  ]);
});

test("empty and blank values count as not set, and blanks around a value are dropped", () => {
  expect(accepted({ PORT: "", LOG_LEVEL: "  ", KODIAI_WORKERS: " 3\n" })).toMatchObject({
    port: 3000,
    logLevel: "info",
    workers: 3,
  });
});

test("no problem ever shows a value", () => {
  const names = [...ENV_VARIABLES.map(({ name }) => name), "KODIAI_TYPO"];
  const canary = fc
    .string({ unit: fc.constantFrom(..."qzxj7%/:@ "), minLength: 8 })
    .filter((text) => text.trim().length > 7);
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), canary), (variables) => {
      const read = readEnv(variables);
      const said = "problems" in read ? read.problems.join("\n") : "";
      for (const value of Object.values(variables)) expect(said).not.toContain(value.trim());
    }),
  );
});

test(".env.example, filled in, starts the server with the defaults", () => {
  const filled = { ...parseEnv(envExample()), APP_ID: GOOD.APP_ID, WEBHOOK_SECRET: SECRET };
  expect(readEnv(filled)).toEqual({
    env: { ...accepted({}), privateKey: { kind: "file", path: "./kodiai.private-key.pem" } },
  });
});

test("a login with GitHub needs both halves of the client, and an address that no one can listen in on", () => {
  const login = { GITHUB_CLIENT_ID: "Iv23liABCDEFabcdef12", GITHUB_CLIENT_SECRET: "0123456789abcdef" };
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET } = login;
  expect(accepted(login).dashboardLogin?.origin).toBe("http://127.0.0.1:3001");
  expect(accepted({ ...login, KODIAI_ADMIN_PORT: "9000" }).dashboardLogin?.origin).toBe("http://127.0.0.1:9000");
  expect(refused({ GITHUB_CLIENT_ID })).toEqual([expect.stringContaining("GITHUB_CLIENT_SECRET is not set")]);
  expect(refused({ GITHUB_CLIENT_SECRET })).toEqual([expect.stringContaining("GITHUB_CLIENT_ID is not set")]);
  for (const KODIAI_DASHBOARD_URL of [
    "http://kodiai.example.com",
    "https://kodiai.example.com/dash",
    "kodiai.example.com",
  ])
    expect(refused({ ...login, KODIAI_DASHBOARD_URL })).toEqual([expect.stringMatching(/^KODIAI_DASHBOARD_URL must /)]);
});
