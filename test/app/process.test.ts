// The server as it is deployed: a process of its own that is configured by its environment, killed, and started again.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { BACKUP, BALANCE, said, summaryOf } from "./given.ts";
import { until, WEBHOOK_PATH } from "./stage.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

let world: GitHubWorld;
let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  world = await startGitHub();
  dataDir = mkdtempSync(join(tmpdir(), "kodiai-process-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await world.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly port: string;
  readonly log: () => string;
}

/** Starts the server and waits until it listens; the world's webhooks go there. */
async function start(options: readonly string[] = []): Promise<Started> {
  const { child, port, log } = begin(options);
  await until("the server listens", () => log().includes("Kodiai is listening") || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(log());
  world.setWebhookUrl(`http://127.0.0.1:${port}${WEBHOOK_PATH}`);
  return { child, port, log };
}

function begin(options: readonly string[] = []): Started {
  const { appId, privateKey, webhookSecret } = world.appCredentials;
  const env = {
    PATH: process.env.PATH,
    APP_ID: String(appId),
    PRIVATE_KEY: privateKey.replaceAll("\n", "\\n"),
    WEBHOOK_SECRET: webhookSecret,
    KODIAI_GITHUB_API_URL: world.apiUrl,
    KODIAI_DATA_DIR: dataDir,
    PORT: String(20_000 + Math.floor(Math.random() * 12_000)),
    HOST: "127.0.0.1",
  };
  const child = spawn(process.execPath, [...options, MAIN], { cwd: dataDir, env });
  children.push(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (log += String(chunk)));
  return { child, port: env.PORT, log: () => log };
}

const posts = () => world.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/reviews"));

test("a server that is killed while it posts finishes its review when it is back, and says nothing twice", async () => {
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const first = await start();
  // The review lands, and nobody is there any more to hear that it did.
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502, afterApplying: true, delay: 500 });
  const files = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };
  const pull = await world.pullRequest(repository, { title: "Back up", files });
  expect(world.deliveries.at(-1)?.status).toBe(202);
  await until("the review is being posted", () => posts().length === 1);
  first.child.kill("SIGKILL");
  await until("the review landed", () => said(world, pull).length === 2);

  const second = await start();
  await until("the job ended", () => second.log().includes('"state":"done"'));
  expect(second.log()).toContain("jobs of a process that ended abruptly wait again");
  expect(world.comments(pull).reviews).toHaveLength(1);
  expect(said(world, pull)).toHaveLength(2);
  expect(summaryOf(world, pull).body).toContain("**2 findings**");
  expect(world.violations).toEqual([]);

  second.child.kill("SIGTERM");
  await until("the server ends", () => second.child.exitCode !== null);
  expect(second.child.exitCode).toBe(0);
  expect(second.log()).toContain("stopping");
});

test("a server that crashes says why in one line of its log, without what the error carried", async () => {
  const error =
    'Object.assign(new Error("with " + process.env.WEBHOOK_SECRET), { request: { body: "private words", key: process.env.PRIVATE_KEY } })';
  const bug = `process.on("SIGUSR2", () => { throw ${error}; });`;
  const { child, log } = await start(["--import", `data:text/javascript,${encodeURIComponent(bug)}`]);
  child.kill("SIGUSR2");
  await until("it ends", () => child.exitCode !== null);
  expect(child.exitCode).toBe(1);
  const lines = log().trim().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ level: 60, msg: "crashed", err: { type: "Error" } });
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  const { webhookSecret, privateKey } = world.appCredentials;
  for (const secret of [webhookSecret, privateKey.split("\n")[2] ?? "", "private words"])
    expect(log()).not.toContain(secret);
});

test("a server whose environment is wrong says what to mend and does not start", async () => {
  const child = spawn(process.execPath, [MAIN], { cwd: dataDir, env: { PATH: process.env.PATH, APP_ID: "x" } });
  children.push(child);
  let said = "";
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  await until("it ends", () => child.exitCode !== null);
  expect(child.exitCode).toBe(2);
  expect(said).toMatch(/^Kodiai does not start:\n {2}- APP_ID must be/);
  expect(said).toContain("WEBHOOK_SECRET is not set");
});

test("a server that starts while GitHub is down waits for it, and says so", async () => {
  world.fail({ match: { method: "GET", path: "/app" }, status: 503, times: 2 });
  const { log } = await start();
  expect(log().match(/GitHub does not say who we are; asking again/g)).toHaveLength(2);
});

test("whoever stops a server that waits for GitHub need not wait as well", async () => {
  world.fail({ match: { method: "GET", path: "/app" }, status: 503, times: 1_000 });
  const { child, log } = begin();
  await until("it asks again", () => log().includes("asking again"));
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(log()).not.toContain("did not stop in time");
});
