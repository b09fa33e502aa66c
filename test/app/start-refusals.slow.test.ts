// Each wrong environment, given to the real process: it ends at once with 2, names the variable and
// its fix, and never listens.
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { freePorts, MAIN } from "./server-process.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-refused-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const PEM = String(rsa.export({ type: "pkcs1", format: "pem" }));
const ED = String(generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
const CUT = `${PEM.slice(0, 300)}\n-----END RSA PRIVATE KEY-----\n`;
writeFileSync(join(folder, "a-file"), "");

const GOOD = {
  APP_ID: "4242",
  PRIVATE_KEY: PEM,
  // SHA-256 of "test".
  WEBHOOK_SECRET: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  KODIAI_DATA_DIR: join(folder, "data"),
};
type Variables = Readonly<Record<string, string | undefined>>;

/** Two processors: more at a time would only wait for each other. */
const AT_A_TIME = 2;

async function run(env: Variables): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(process.execPath, [MAIN], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...GOOD, ...env },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { code, said };
}

const http = (name: string): [string, Variables, RegExp] => [
  `${name} without https`,
  {
    [name]: "http://models.example.com",
    ANTHROPIC_API_KEY: "sk-ant-0123456789",
    VOYAGE_API_KEY: "pa-0123456789",
    KODIAI_EMBEDDINGS: name === "KODIAI_EMBEDDINGS_URL" ? "http" : "voyage",
    KODIAI_EMBEDDINGS_MODEL: "nomic-embed-text",
    KODIAI_RERANKER: "voyage",
  },
  new RegExp(`- ${name} must begin with https://`),
];

const WEAK = /- WEBHOOK_SECRET .*; make one with `openssl rand -hex 32`/;
const cases: readonly [string, Variables, RegExp][] = [
  ["nothing at all: there is no setup mode", nothing(), /- APP_ID is not set; [\s\S]*- WEBHOOK_SECRET is not set/],
  ["no app id, outside of production", { APP_ID: undefined, NODE_ENV: "development" }, /- APP_ID is not set; /],
  ["no secret", { WEBHOOK_SECRET: undefined }, WEAK],
  ["an empty secret", { WEBHOOK_SECRET: "" }, WEAK],
  ["Probot's own secret", { WEBHOOK_SECRET: "development" }, WEAK],
  ["that one, repeated", { WEBHOOK_SECRET: "development".repeat(4) }, WEAK],
  ["31 characters", { WEBHOOK_SECRET: GOOD.WEBHOOK_SECRET.slice(0, 31) }, WEAK],
  ["one character, often", { WEBHOOK_SECRET: "x".repeat(64) }, WEAK],
  ["a placeholder", { WEBHOOK_SECRET: "please-change-me-this-is-a-secret!" }, WEAK],
  [
    "a weak former secret",
    { KODIAI_FORMER_WEBHOOK_SECRET: "development", KODIAI_FORMER_WEBHOOK_SECRET_UNTIL: "2099-01-01T00:00:00Z" },
    /- KODIAI_FORMER_WEBHOOK_SECRET is shorter/,
  ],
  ["no key", { PRIVATE_KEY: undefined }, /- PRIVATE_KEY_PATH is not set; point it at/],
  [
    "a key file that is not there",
    { PRIVATE_KEY: undefined, PRIVATE_KEY_PATH: "./none.pem" },
    /- PRIVATE_KEY_PATH: .*check the path/,
  ],
  [
    "a key file that holds none",
    { PRIVATE_KEY: undefined, PRIVATE_KEY_PATH: "a-file" },
    /- PRIVATE_KEY_PATH holds no RSA key/,
  ],
  ["a key of another kind", { PRIVATE_KEY: ED }, /- PRIVATE_KEY holds no RSA key/],
  ["a key that was cut", { PRIVATE_KEY: CUT }, /- PRIVATE_KEY holds no RSA key/],
  http("KODIAI_GITHUB_API_URL"),
  http("ANTHROPIC_BASE_URL"),
  http("KODIAI_EMBEDDINGS_URL"),
  [
    "GitHub Enterprise without https",
    { GHE_HOST: "github.example.com", GHE_PROTOCOL: "http" },
    /- GHE_PROTOCOL must be `https`/,
  ],
  [
    "a variable that is not known",
    { KODIAI_WORKER: "2" },
    /- KODIAI_WORKER is not a variable of Kodiai; did you mean KODIAI_WORKERS\?/,
  ],
  ["a value that is not known", { LOG_FORMAT: "xml" }, /- LOG_FORMAT must be `json` or `pretty`/],
  ["a number out of range", { KODIAI_WORKERS: "99" }, /- KODIAI_WORKERS must be a whole number from 1 to 16/],
];

function nothing(): Variables {
  return Object.fromEntries(Object.keys(GOOD).map((name) => [name, undefined]));
}

describe("the server does not start", () => {
  const done = new Map<string, Promise<Awaited<ReturnType<typeof run>>>>();
  test.each(cases)("with %s [T14]", async (name, _env, reported) => {
    // Each takes half a second of a process's start: the next one begins meanwhile.
    const at = cases.findIndex(([one]) => one === name);
    for (const [next, env] of cases.slice(at, at + AT_A_TIME)) done.set(next, done.get(next) ?? run(env));
    const { code, said } = await (done.get(name) ?? Promise.reject(new Error(name)));
    expect(said).toMatch(reported);
    expect(said).toMatch(/^Kodiai does not start:\n {2}- /);
    expect(said).not.toContain("Kodiai is listening");
    expect(said).not.toMatch(/\n\s+at |sk-ant-|BEGIN/);
    expect(code).toBe(2);
  });

  test("on a port or in a folder that is not its own", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const api = createServer((socket) => {
      const body = JSON.stringify({ slug: "kodiai" });
      socket.once("data", () =>
        socket.end(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        ),
      );
    });
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    const portOf = (of: typeof server) => String((of.address() as { port: number }).port);
    const [PORT, KODIAI_ADMIN_PORT] = await freePorts();
    const base = {
      HOST: "127.0.0.1",
      PORT,
      KODIAI_ADMIN_PORT,
      KODIAI_GITHUB_API_URL: `http://127.0.0.1:${portOf(api)}`,
    };
    const taken = await run({ ...base, PORT: portOf(server) });
    const isFile = await run({ ...base, KODIAI_DATA_DIR: join(folder, "a-file", "data") });
    server.close();
    api.close();
    expect(taken.said).toMatch(/Kodiai does not start:\n {2}- PORT: port \d+ is in use; set another/);
    expect(taken.said).toContain("This may pass: start it again.");
    expect(taken.code).toBe(3);
    expect(isFile.said).toMatch(
      /Kodiai does not start:\n {2}- KODIAI_DATA_DIR: .* cannot be written \((?:EEXIST|ENOTDIR)\)/,
    );
    expect(isFile.code).toBe(2);
  });
});
