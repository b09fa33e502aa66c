// A folder's `.env`, which a stranger may have written: what is read of it, and with what.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ENV_VARIABLES } from "../../src/config/environment/env-variables.ts";
import { loadDotEnv } from "../../src/environment/dot-env.ts";

let folder: string;
let before: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-env-"));
  before = { ...process.env };
  for (const { name } of ENV_VARIABLES) delete process.env[name];
  for (const name of ["GITHUB_TOKEN", "https_proxy", "http_proxy", "no_proxy"]) delete process.env[name];
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

function load(text: string) {
  const path = join(folder, ".env");
  writeFileSync(path, text);
  const ignored: string[] = [];
  const problems = loadDotEnv(path, (line) => ignored.push(line));
  return { problems, ignored };
}

const FOREIGN = (
  "NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS NODE_OPTIONS GIT_SSH_COMMAND GIT_CONFIG_COUNT GIT_DIR LD_PRELOAD LD_LIBRARY_PATH " +
  "DYLD_INSERT_LIBRARIES PATH HOME XDG_CONFIG_HOME TMPDIR SSL_CERT_FILE SSL_CERT_DIR PGHOST PGSERVICEFILE ALL_PROXY BASH_ENV " +
  "OPENSSL_CONF OTEL_EXPORTER_OTLP_ENDPOINT KODIAI_FAIL_AT Path git_dir"
).split(" ");

describe("only variables of Kodiai are read", () => {
  test.each(FOREIGN)("%s is ignored, and that is said", (name) => {
    const had = process.env[name];
    const { problems, ignored } = load(`${name}=evil\nLOG_LEVEL=debug\n`);
    expect(problems).toEqual([]);
    expect(process.env[name]).toBe(had);
    expect(ignored).toEqual([
      `${join(folder, ".env")}: ${name} is ignored: only variables of Kodiai are read from this file`,
    ]);
    expect(process.env.LOG_LEVEL).toBe("debug");
  });

  test("each of the documented ones is, but for Node's own, and the environment wins", () => {
    const ours = ENV_VARIABLES.map(({ name }) => name).filter((name) => name !== "NODE_EXTRA_CA_CERTS");
    process.env.PORT = "1";
    expect(load([...ours, "GITHUB_TOKEN", "PGPASSWORD"].map((name) => `${name}=9`).join("\n"))).toEqual({
      problems: [],
      ignored: [],
    });
    expect(ours.filter((name) => process.env[name] !== "9")).toEqual(["PORT"]);
  });

  test("a misspelt one reaches the server, which refuses it", () => {
    expect(load("KODIAI_WORKRES=2\n")).toEqual({ problems: [], ignored: [] });
    expect(process.env.KODIAI_WORKRES).toBe("2");
  });
});

describe("an address of the file never gets a key of the environment", () => {
  const KEYS = [
    "GITHUB_TOKEN",
    "PRIVATE_KEY",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "VOYAGE_API_KEY",
    "KODIAI_EMBEDDINGS_API_KEY",
  ];
  const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"];

  test.each(PROXIES.flatMap((proxy) => KEYS.map((key) => [proxy, key] as const)))("%s and %s", (proxy, key) => {
    process.env[key] = "secret";
    const { problems } = load(`${proxy}=http://evil.example.com\nLOG_LEVEL=debug\n`);
    expect(problems).toEqual([
      `${proxy} is set in ${join(folder, ".env")} and ${key} in the environment; set both in the same place`,
    ]);
    expect(process.env[proxy]).toBeUndefined();
    expect(process.env.LOG_LEVEL).toBeUndefined();
  });

  test.each(["GHE_HOST", "KODIAI_GITHUB_API_URL", "GITHUB_API_URL"])("%s and the user's token", (address) => {
    process.env.GITHUB_TOKEN = "secret";
    expect(load(`${address}=evil.example.com\n`).problems).toHaveLength(1);
  });

  test("both in the file are fine", () => {
    expect(load("HTTPS_PROXY=http://proxy:3128\nANTHROPIC_API_KEY=12345678\n")).toEqual({ problems: [], ignored: [] });
    expect(process.env.HTTPS_PROXY).toBe("http://proxy:3128");
  });
});

describe("a file as people write it", () => {
  test.each([
    "# secrets\r\nWEBHOOK_SECRET=abc\r\nLOG_LEVEL=debug # for now\r\n",
    "\ufeffWEBHOOK_SECRET=abc\nLOG_LEVEL=debug",
  ])("with a byte order mark or Windows' line ends: %j", (text) => {
    delete process.env.WEBHOOK_SECRET;
    delete process.env.LOG_LEVEL;
    expect(load(text)).toEqual({ problems: [], ignored: [] });
    expect([process.env.WEBHOOK_SECRET, process.env.LOG_LEVEL]).toEqual(["abc", "debug"]);
  });

  test.each(["ab#cd", "#abcd", 'a"b#c"', "ab#cd # the secret"])("WEBHOOK_SECRET=%s would be half a secret", (value) => {
    delete process.env.WEBHOOK_SECRET;
    const { problems } = load(`LOG_LEVEL=debug\nWEBHOOK_SECRET=${value}\n`);
    const path = join(folder, ".env");
    expect(problems).toEqual([
      `WEBHOOK_SECRET in ${path} holds a # outside quotes, after which the rest would be a comment; put the value in quotes`,
    ]);
    expect(process.env.WEBHOOK_SECRET).toBeUndefined();
  });

  test.each(['"ab#cd"', "'ab#cd'", "`ab#cd`", '"ab\n#cd"'])("WEBHOOK_SECRET=%s is whole", (value) => {
    delete process.env.WEBHOOK_SECRET;
    expect(load(`WEBHOOK_SECRET=${value}\n`).problems).toEqual([]);
    expect(process.env.WEBHOOK_SECRET).toBe(value.slice(1, -1));
  });
});
