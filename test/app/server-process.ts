// The server as it is deployed, for tests: a process of its own with a GitHub beside it, which can
// be asked, held up and ended.
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type Agent, request } from "node:http";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { until, WEBHOOK_PATH } from "./app-harness.ts";

const DOCKERFILE = fileURLToPath(new URL("../../Dockerfile", import.meta.url));
/** What the image gives Node before the program. */
const [, ...FLAGS] = (
  JSON.parse(/^CMD (\[.+\])$/m.exec(readFileSync(DOCKERFILE, "utf8"))?.[1] ?? "[]") as string[]
).slice(0, -1);
export const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly adminUrl: string;
  log(): string;
  /** Sends a signed delivery; the status, or null when nobody answered. */
  deliver(event: string, payload: unknown, id?: string): Promise<number | null>;
  ready(): Promise<{ readonly status: number; readonly reasons: readonly string[] }>;
  /** Resident memory in bytes. */
  rss(): number;
  /** Resolves with the exit code, or the signal that ended it. */
  ended(): Promise<number | string>;
}

export interface Deployment {
  readonly world: GitHubWorld;
  readonly dataDir: string;
  /**
   * Starts it; with `wrap`, under another program; with `words`, the server's own. Resolves when it
   * listens.
   */
  start(
    env?: Readonly<Record<string, string>>,
    wrap?: readonly string[],
    words?: readonly string[],
  ): Promise<ServerProcess>;
  /** Starts it and does not wait. */
  launch(
    env?: Readonly<Record<string, string>>,
    wrap?: readonly string[],
    words?: readonly string[],
  ): Promise<ServerProcess>;
  close(): Promise<void>;
}

export async function deployment(folder: string = tmpdir()): Promise<Deployment> {
  const world = await startGitHub();
  const dataDir = mkdtempSync(join(folder, "kodiai-process-"));
  const children: ChildProcess[] = [];
  const { appId, privateKey, webhookSecret } = world.appCredentials;

  async function launch(
    more: Readonly<Record<string, string>> = {},
    wrap: readonly string[] = [],
    last: readonly string[] = [],
  ) {
    const [port, adminPort] = await freePorts();
    const env = {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      APP_ID: String(appId),
      PRIVATE_KEY: privateKey.replaceAll("\n", "\\n"),
      WEBHOOK_SECRET: webhookSecret,
      KODIAI_GITHUB_API_URL: world.apiUrl,
      KODIAI_DATA_DIR: dataDir,
      PORT: port,
      KODIAI_ADMIN_PORT: adminPort,
      HOST: "127.0.0.1",
      ...more,
    };
    const [program = process.execPath, ...words] = [...wrap, process.execPath, ...FLAGS, MAIN, ...last];
    // A group of its own: a server that ran under another program outlives it.
    const child = spawn(program, words, { cwd: dataDir, env, detached: true });
    children.push(child);
    let log = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (log += String(chunk)));
    const [url, adminUrl] = [`http://127.0.0.1:${env.PORT}`, `http://127.0.0.1:${env.KODIAI_ADMIN_PORT}`];
    const server: ServerProcess = {
      child,
      url,
      adminUrl,
      log: () => log,
      deliver: (event, payload, id) => signedPost(url, webhookSecret, { event, body: JSON.stringify(payload), id }),
      async ready() {
        const answer = await fetch(`${adminUrl}/readyz`);
        const { reasons } = (await answer.json()) as { readonly reasons: readonly string[] };
        return { status: answer.status, reasons };
      },
      rss: () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0),
      async ended() {
        await until("the server ends", () => child.exitCode !== null || child.signalCode !== null);
        // Its last lines may still be in the pipe.
        await until("its output ends", () => child.stdout?.readableEnded !== false);
        return child.exitCode ?? child.signalCode ?? -1;
      },
    };
    return server;
  }

  return {
    world,
    dataDir,
    launch,
    async start(env, wrap, words) {
      const server = await launch(env, wrap, words);
      const { child, log } = server;
      await until("the server listens", () => log().includes("Kodiai is listening") || child.exitCode !== null);
      if (child.exitCode !== null) throw new Error(log());
      world.setWebhookUrl(server.url + WEBHOOK_PATH);
      return server;
    },
    async close() {
      // A process that is dying still holds its files: their room on a small disk would come back
      // in the middle of the next test.
      const removed = children.map((child) =>
        child.exitCode === null && child.signalCode === null ? once(child, "exit") : null,
      );
      for (const { pid } of children) killGroup(pid);
      await Promise.all(removed);
      await world.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Also what a process left behind. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left of it.
  }
}

export interface SignedPost {
  readonly event: string;
  readonly body: string | Buffer;
  readonly id?: string | undefined;
  readonly agent?: Agent;
}

/** Sends bytes as a delivery, signed with `secret`. The status, or null when nobody answered. */
export function signedPost(
  url: string,
  secret: string,
  { event, body, id, agent }: SignedPost,
): Promise<number | null> {
  const bytes = Buffer.from(body);
  const headers = {
    "content-type": "application/json",
    "content-length": bytes.length,
    "x-github-delivery": id ?? randomUUID(),
    "x-github-event": event,
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`,
  };
  return new Promise((resolve) => {
    const sent = request(url + WEBHOOK_PATH, { method: "POST", headers, agent: agent ?? false }, (answer) => {
      answer.resume().once("close", () => resolve(answer.statusCode ?? null));
    });
    sent.once("error", () => resolve(null));
    sent.end(bytes);
  });
}

/** Two different ports that nobody listens on at this moment: the public one and the operator's. */
export async function freePorts(): Promise<readonly [PORT: string, KODIAI_ADMIN_PORT: string]> {
  const held = await Promise.all([listener(), listener()]);
  const [one, other] = held.map((server) => {
    const address = server.address();
    return String(typeof address === "object" && address !== null ? address.port : 0);
  });
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return [one ?? "0", other ?? "0"];
}

function listener(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

/** A pull request that was opened, as GitHub tells it: of another number, the same otherwise. */
export function opened(number: number, installationId: number, more: Readonly<Record<string, unknown>> = {}): object {
  return {
    action: "opened",
    installation: { id: installationId },
    repository: { id: 4711, name: "shop", private: true, owner: { login: "acme", id: 77 } },
    sender: { login: "mona", id: 5, type: "User" },
    pull_request: {
      number,
      title: "Back up",
      state: "open",
      updated_at: "2026-01-01T00:00:00Z",
      user: { login: "mona", id: 5, type: "User" },
      head: { sha: number.toString(16).padStart(40, "0") },
      base: { ref: "main" },
      ...more,
    },
  };
}
