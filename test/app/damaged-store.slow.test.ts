// A store that rotted, a backup, and what GitHub remembers of the time between: the drill from the
// damage to the last review.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { kodiai } from "../cli/kodiai.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { openHarness, until, WEBHOOK_PATH } from "./app-harness.ts";
import { BALANCE, said, summaryOf } from "./change-builders.ts";
import { freePorts } from "./server-process.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
let root: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kodiai-damaged-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(root, { recursive: true });
});

function moveAway(dataDir: string): void {
  const aside = join(root, `aside-${Date.now()}`);
  mkdirSync(aside);
  for (const name of readdirSync(dataDir).filter((one) => one.includes(".db"))) {
    renameSync(join(dataDir, name), join(aside, name));
  }
}

/** How the jobs of a key ended, oldest first, in the store that stands there now. */
function ended(dataDir: string, key: string): readonly string[] {
  const db = new Database(join(dataDir, "queue.db"), { readonly: true });
  const rows = db
    .prepare("SELECT state || ' ' || coalesce(outcome, '') FROM jobs WHERE key = ? ORDER BY id")
    .pluck()
    .all(key);
  db.close();
  return rows as string[];
}

test("after a restore missed heads are reviewed, and nothing on GitHub is posted again [R23]", async () => {
  const harness = await openHarness({ app: { missed: { everyMs: 200 } } });
  try {
    const { world, dataDir } = harness;
    const shop = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    await until("it is looked at", () => world.requests.some(({ path }) => path === "/repos/acme/shop/pulls"));
    const before = await world.pullRequest(shop, { title: "Before", files: { "src/before.py": BALANCE } });
    await harness.settled(before);
    const run = (words: string[]) => kodiai([...words, "--data-dir", dataDir], { cwd: root });
    const copy = join(root, "copy");
    expect(await run(["backup", copy])).toMatchObject({
      code: 0,
      out: expect.stringContaining("written and verified"),
    });

    // Between backup and damage: a review of another pull request, one more head of the first, a
    // repository that goes.
    const between = await world.pullRequest(shop, { title: "Between", files: { "src/between.py": BALANCE } });
    await harness.settled(between);
    await world.push(before, { "src/more.py": "x = 1\n" });
    await until(
      "the new head is settled",
      () => harness.jobs(before).filter(({ state }) => state === "done").length === 2,
    );
    const pulls = [before, between];
    const stood = pulls.map((pull) => [said(world, pull), world.comments(pull).reviews.length]);

    let after: Pull | undefined;
    await harness.restart({}, async () => {
      after = await world.pullRequest(shop, { title: "After", files: { "src/after.py": BALANCE } });
      truncateSync(join(dataDir, "queue.db"), 10_000);
      expect(await run(["restore", copy])).toMatchObject({ code: 3, err: expect.stringContaining("holds a store") });
      moveAway(dataDir);
      expect(await run(["restore", copy])).toMatchObject({ code: 0, out: expect.stringContaining("restored into") });
    });
    await until("what was missed is reviewed", () => after !== undefined && said(world, after).length === 1);
    const last = (pull: Pull) => ended(dataDir, `github.com/${shop.id}#${pull.number}`).at(-1) ?? "";
    await until("what came again is done", () => pulls.every((pull) => last(pull).startsWith("done")));
    const asked = () => ended(dataDir, `github.com/${shop.id}:forget`);
    await until("it is asked whether the repository is there", () => asked().some((line) => line.startsWith("done")));
    expect(pulls.map((pull) => [said(world, pull), world.comments(pull).reviews.length])).toEqual(stood);
    for (const pull of pulls) summaryOf(world, pull);
    expect(last(between)).toBe("done skipped: this head was reviewed before");
    expect(asked()).toEqual(["done skipped: the App still reaches the repository"]);
    expect(world.violations).toEqual([]);
  } finally {
    await harness.close();
  }
});

test("a server with a damaged queue keeps running, shows the reason on its admin port, and ends on request [R15]", async () => {
  const world = await startGitHub();
  try {
    const first = await start(world, "KODIAI is listening".replace("KODIAI", "Kodiai"));
    first.child.kill("SIGTERM");
    await until("it ends", () => first.child.exitCode !== null);
    truncateSync(join(root, "data", "queue.db"), 6_000);
    const closed = await start(world, "Kodiai is unavailable");
    expect(closed.log()).toMatch(/queue\.db is damaged \(.+restore a backup \(kodiai restore DIR\)/);
    const asked = async (url: string, init: RequestInit = {}) => {
      const answer = await fetch(url, init);
      return [answer.status, await answer.text()] as const;
    };
    expect(await asked(`${closed.url}${WEBHOOK_PATH}`, { method: "POST" })).toEqual([
      503,
      JSON.stringify({ ok: false, reasons: ["the store cannot be used"] }),
    ]);
    // Whoever probes the process must not start it again and again: another start finds the same
    // file.
    for (const url of [closed.url, closed.adminUrl])
      expect(await asked(`${url}/healthz`)).toEqual([200, JSON.stringify({ ok: true })]);
    const [status, ready] = await asked(`${closed.adminUrl}/readyz`);
    expect([status, JSON.parse(ready)]).toEqual([
      503,
      { ok: false, reasons: [expect.stringContaining("queue.db is damaged"), "the store cannot be used"] },
    ]);
    const [served, figures] = await asked(`${closed.adminUrl}/metrics`);
    expect(served).toBe(200);
    expect(figures).toMatch(/^kodiai_ready 0$/m);
    closed.child.kill("SIGTERM");
    await until("it ends", () => closed.child.exitCode !== null);
    expect(closed.child.exitCode).toBe(0);
  } finally {
    await world.close();
  }
});

async function start(world: GitHubWorld, sign: string) {
  const { appId, privateKey, webhookSecret } = world.appCredentials;
  const [port, adminPort] = await freePorts();
  const env = {
    PATH: process.env.PATH,
    APP_ID: String(appId),
    PRIVATE_KEY: privateKey.replaceAll("\n", "\\n"),
    WEBHOOK_SECRET: webhookSecret,
    KODIAI_GITHUB_API_URL: world.apiUrl,
    KODIAI_DATA_DIR: join(root, "data"),
    PORT: port,
    KODIAI_ADMIN_PORT: adminPort,
    HOST: "127.0.0.1",
  };
  const child = spawn(process.execPath, [MAIN], { cwd: root, env });
  children.push(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (log += String(chunk)));
  await until(sign, () => log.includes(sign) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(log);
  return { child, log: () => log, url: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${adminPort}` };
}
