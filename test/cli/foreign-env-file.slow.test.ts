// The `.env` of a folder that somebody else wrote, such as a clone: it never decides where the keys
// of the person who runs a command there are sent.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kodiai } from "./kodiai.ts";

const TOKEN = ["ghp", "4dVq0sK8xTn2ZbYw6RmJ1cLpE7uHaGf3Oi9S"].join("_");
const KEY = "e7Kq2-Zp9Xv4Lr8Tn3Ws6Yc1";
const PEM = String(
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" }),
);
// SHA-256 of "test".
const WEBHOOK_SECRET = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

let folder: string;
let server: Server;
/** Where the `.env` points. */
let elsewhere: string;
/** Credentials that reached it. */
let received: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-foreign-"));
  received = [];
  server = createServer((request, response) => {
    received.push(String(request.headers.authorization ?? request.headers["x-api-key"] ?? "none"));
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  // As a proxy it lets nobody out: nothing here may reach the real GitHub.
  server.on("connect", (_request, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

type Variables = Readonly<Record<string, string>>;

function dotEnv(variables: Variables): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, ".env"), lines.join(""));
}

const run = (words: readonly string[], env: Variables = {}) =>
  kodiai(words, { cwd: folder, env: { HTTPS_PROXY: elsewhere, XDG_DATA_HOME: join(folder, "home"), ...env } });

const embedder = () => ({
  KODIAI_EMBEDDINGS: "http",
  KODIAI_EMBEDDINGS_URL: elsewhere,
  KODIAI_EMBEDDINGS_MODEL: "nomic-embed-text",
});

test("doctor does not read the .env of a folder that is not the server's, and says so", async () => {
  dotEnv({ GITHUB_API_URL: elsewhere, ...embedder() });
  const doctor = await run(["doctor"], { KODIAI_EMBEDDINGS_API_KEY: KEY, KODIAI_DATA_DIR: "./data" });
  expect(received).toEqual([]);
  expect(doctor.out).toMatch(/note +env +\.\/\.env is not read.*--data-dir$/m);
});

test("in the server's folder doctor reads .env: around the data folder that is named", async () => {
  dotEnv({ ...embedder(), KODIAI_EMBEDDINGS_API_KEY: KEY });
  for (const [words, env] of [
    [["doctor", "--data-dir", "data"], {}],
    [["doctor"], { KODIAI_DATA_DIR: join(folder, "data") }],
  ] as const) {
    const { out } = await run(words, env);
    expect(out).toMatch(/broken +embedder +http: nomic-embed-text/);
    expect(out).not.toContain("is not read");
  }
  expect([...new Set(received)]).toEqual([`Bearer ${KEY}`]);
});

describe("an address of a .env is never combined with a key of the environment", () => {
  test.each([
    ["doctor", ["--data-dir", "data"], "KODIAI_EMBEDDINGS_URL", { KODIAI_EMBEDDINGS_API_KEY: KEY }],
    ["doctor", ["--data-dir", "data"], "GITHUB_API_URL", { GITHUB_TOKEN: TOKEN }],
    ["serve", [], "ANTHROPIC_BASE_URL", { ANTHROPIC_API_KEY: KEY }],
    ["serve", [], "OPENAI_BASE_URL", { OPENAI_API_KEY: KEY }],
    ["serve", [], "KODIAI_EMBEDDINGS_URL", { VOYAGE_API_KEY: KEY }],
    ["serve", [], "KODIAI_GITHUB_API_URL", { PRIVATE_KEY: PEM }],
  ] as const)("%s %j: %s", async (verb, words, address, key) => {
    const app: Variables = verb === "serve" ? { APP_ID: "4242", WEBHOOK_SECRET } : {};
    dotEnv({ ...app, [address]: elsewhere });
    const { code, err } = await run([verb, ...words], { ...(verb === "serve" ? { PRIVATE_KEY: PEM } : {}), ...key });
    expect(err).toContain(`${address} is set in .env and ${Object.keys(key)[0]} in the environment`);
    expect({ code, received }).toEqual({ code: 2, received: [] });
  });

  test("setup does not send the key of another App there", async () => {
    dotEnv({ APP_ID: "1", PRIVATE_KEY_PATH: "own.pem", WEBHOOK_SECRET, KODIAI_GITHUB_API_URL: elsewhere });
    writeFileSync(join(folder, "mine.pem"), PEM);
    const { code, err } = await run(["setup", "--yes", "--app-id", "4242", "--private-key-file", "mine.pem"]);
    expect(err).toContain("name it with --host, or KODIAI_GITHUB_API_URL");
    expect({ code, received }).toEqual({ code: 2, received: [] });
  });
});
