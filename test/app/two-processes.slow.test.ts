// Two real servers on one folder: one stands still in the middle of its work, and what it does when
// it wakes is nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { until } from "./app-harness.ts";
import { BACKUP, BALANCE, said, summaryOf, writes } from "./change-builders.ts";

const CHILD = fileURLToPath(new URL("./two-processes.child.ts", import.meta.url));
const FILES = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };

let world: GitHubWorld;
let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  world = await startGitHub();
  dataDir = mkdtempSync(join(tmpdir(), "kodiai-two-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await world.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly log: () => string;
}

async function start(more: Record<string, string> = {}): Promise<Server> {
  const { appId, privateKey, webhookSecret } = world.appCredentials;
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    APP_ID: String(appId),
    KEY: privateKey,
    SECRET: webhookSecret,
  };
  const child = spawn(process.execPath, [CHILD], {
    env: { ...env, API_URL: world.apiUrl, DATA_DIR: dataDir, SILENT_MS: "2000", ...more },
  });
  children.push(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (log += String(chunk)));
  await until("the server listens", () => /^at http/m.test(log) || child.exitCode !== null);
  const url = /^at (\S+)$/m.exec(log)?.[1];
  if (url === undefined) throw new Error(log);
  return { child, url, log: () => log };
}

test.each(["before-post-review", "before-post-summary", "before-save"])(
  "a process that pauses at %s for longer than others wait writes nothing when it wakes [R25]",
  async (point) => {
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const zombie = await start({ KODIAI_FAIL_AT: point, KODIAI_FAIL_HOW: "stop" });
    world.setWebhookUrl(`${zombie.url}/hook`);
    const pull = await world.pullRequest(repository, { title: "Back up", files: FILES });
    await until("it stands still", () => zombie.log().includes(`fail point: ${point}`));

    const other = await start();
    await until("the other has done the job", () => other.log().includes('"state":"done"'));
    expect(world.comments(pull).reviews).toHaveLength(1);
    const before = writes(world);

    zombie.child.kill("SIGCONT");
    await until("it knows", () => zombie.log().includes("lease lost to another process"));
    expect(writes(world)).toEqual(before);
    expect(said(world, pull)).toHaveLength(2);
    expect(summaryOf(world, pull).body).toMatch(/^\*\*2 \w+ findings open\*\*/);
    expect(world.violations).toEqual([]);
  },
);

test("a process that is killed is replaced at once: others on the same machine see that it ended [R25]", async () => {
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const killed = await start({ KODIAI_FAIL_AT: "after-post-review", SILENT_MS: "600000" });
  const other = await start({ SILENT_MS: "600000" });
  // Whoever takes it: the one that dies, or the one that does not.
  world.setWebhookUrl(`${killed.url}/hook`);
  const pull = await world.pullRequest(repository, { title: "Back up", files: FILES });
  await until("the job is done", () => (killed.log() + other.log()).includes('"state":"done"'));
  expect(world.comments(pull).reviews).toHaveLength(1);
  expect(said(world, pull)).toHaveLength(2);
});
