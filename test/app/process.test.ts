// The server as it is deployed: a process of its own that is configured by its environment, killed,
// and started again.
import { spawn } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GitHubWorld } from "../fakes/github/github.ts";
import { until } from "./app-harness.ts";
import { BACKUP, BALANCE, said, summaryOf } from "./change-builders.ts";
import { type Deployment, deployment, MAIN } from "./server-process.ts";

let deployed: Deployment;
let world: GitHubWorld;
beforeEach(async () => {
  deployed = await deployment();
  world = deployed.world;
});
afterEach(() => deployed.close());

const posts = () => world.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/reviews"));

test("a server that is killed while it posts finishes its review when it is back, and says nothing twice [R2][R21]", async () => {
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const first = await deployed.start();
  // The review lands, and nobody is there any more to hear that it did.
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502, afterApplying: true, delay: 500 });
  const files = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };
  const pull = await world.pullRequest(repository, { title: "Back up", files });
  expect(world.deliveries.at(-1)?.status).toBe(202);
  await until("the review is being posted", () => posts().length === 1);
  first.child.kill("SIGKILL");
  await until("the review landed", () => said(world, pull).length === 2);

  const second = await deployed.start();
  await until("the job ended", () => second.log().includes('"state":"done"'));
  expect(second.log()).toContain("jobs of a crashed process were requeued");
  expect(world.comments(pull).reviews).toHaveLength(1);
  expect(said(world, pull)).toHaveLength(2);
  expect(summaryOf(world, pull).body).toMatch(/^\*\*2 \w+ findings open\*\*/);
  expect(world.violations).toEqual([]);

  second.child.kill("SIGTERM");
  expect(await second.ended()).toBe(0);
  expect(second.log()).toContain("stopping");
});

test("a server that crashes says why in one line of its log, without what the error carried [T19]", async () => {
  const error =
    'Object.assign(new Error("with " + process.env.WEBHOOK_SECRET), { request: { body: "private words", key: process.env.PRIVATE_KEY } })';
  const bug = `process.on("SIGUSR2", () => { throw ${error}; });`;
  const { child, log, ended } = await deployed.start({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}`,
  });
  child.kill("SIGUSR2");
  expect(await ended()).toBe(3);
  const lines = log().trim().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ level: 60, msg: "crashed", err: { type: "Error" } });
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  const { webhookSecret, privateKey } = world.appCredentials;
  for (const secret of [webhookSecret, privateKey.split("\n")[2] ?? "", "private words"])
    expect(log()).not.toContain(secret);
});

test("a server whose environment is wrong says what to fix and does not start", async () => {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, APP_ID: "x" };
  const child = spawn(process.execPath, [MAIN], { cwd: deployed.dataDir, env });
  let said = "";
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  await until("it ends", () => child.exitCode !== null);
  expect(child.exitCode).toBe(2);
  expect(said).toMatch(/^Kodiai does not start:\n {2}- APP_ID must be/);
  expect(said).toContain("WEBHOOK_SECRET is not set");
  expect(said).toContain("See .env.example.");
});

test("a server without settings names the command that makes them", async () => {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
  const child = spawn(process.execPath, [MAIN], { cwd: deployed.dataDir, env });
  let said = "";
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  await until("it ends", () => child.exitCode !== null);
  expect(child.exitCode).toBe(2);
  expect(said).toMatch(/`kodiai setup` creates the App and sets these \(in a clone: npm run -s kodiai -- setup\)/);
});

test("a server that starts while GitHub is down waits for it, answers who asks, takes no delivery, and serves once it is there", async () => {
  let isAway = true;
  world.fail({ match: { method: "GET", path: "/app" }, status: 503, times: 1_000, chance: () => isAway });
  const server = await deployed.launch();
  await until("it waits", () => server.log().includes("waiting for GitHub"));
  expect(await server.ready()).toMatchObject({
    status: 503,
    reasons: ["GitHub answered 503 to GET /app", "waiting for GitHub"],
  });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(await server.deliver("ping", {})).toBe(503);
  isAway = false;
  await until("it listens", () => server.log().includes("Kodiai is listening"));
  expect(await server.deliver("ping", {})).toBe(202);
  expect((await server.ready()).status).toBe(200);
});

test("a server whose key GitHub refuses once still starts", async () => {
  world.fail({ match: { method: "GET", path: "/app" }, status: 401, times: 1 });
  const { log } = await deployed.start();
  expect(log()).toContain("GitHub answered 401 to GET /app");
  // Whoever collects the log reads it line by line.
  for (const line of log().trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
});

// It is borne for two minutes: NIGHTLY=1 sits them out.
test.runIf(process.env.NIGHTLY === "1")(
  "a server whose key GitHub goes on to refuse says so while it asks, and ends with what to fix",
  async () => {
    world.fail({ match: { method: "GET", path: "/app" }, status: 401, times: 1_000 });
    const server = await deployed.launch();
    await until("it waits", () => server.log().includes("waiting for GitHub"));
    expect((await server.ready()).reasons).toEqual(["GitHub answered 401 to GET /app", "waiting for GitHub"]);
    await new Promise((resolve) => server.child.once("exit", resolve));
    expect(await server.ended()).toBe(3);
    expect(server.log()).toMatch(
      /Kodiai does not start:\n {2}- APP_ID, PRIVATE_KEY: GitHub still refuses them after retries \(GitHub answered 401 to GET \/app\)/,
    );
    expect(world.requests.filter(({ path }) => path === "/app").length).toBeLessThan(30);
  },
);

test("stopping a server that waits for GitHub does not wait as well", async () => {
  world.fail({ match: { method: "GET", path: "/app" }, status: 503, times: 1_000 });
  const { child, log, ended } = await deployed.launch();
  await until("it waits", () => log().includes("waiting for GitHub"));
  child.kill("SIGTERM");
  expect(await ended()).toBe(0);
  expect(log()).not.toContain("shutdown timed out");
});
