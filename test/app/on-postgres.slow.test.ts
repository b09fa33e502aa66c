// Kodiai as people meet it, kept in a PostgreSQL: two processes' worth of apps on one database, and
// the command line beside them.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startApp } from "../../src/app.ts";
import type { RunningApp } from "../../src/server/app-options.ts";
import { loggedError } from "../../src/server/serve.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import type { Database } from "../../src/store/sql.ts";
import { inspector } from "../../src/wire/rules.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { testDatabase } from "../postgres.ts";
import { until, WEBHOOK_PATH } from "./app-harness.ts";
import { BACKUP, BALANCE, LOGIN, said, summaryOf, WEAK_LOGIN } from "./change-builders.ts";

const given = await testDatabase();
afterAll(() => given?.drop());

const log: string[] = [];
const folder = mkdtempSync(join(tmpdir(), "kodiai-on-postgres-"));
let world: GitHubWorld;
let db: Database;
let apps: RunningApp[] = [];

interface JobRow {
  readonly state: string;
  readonly attempt: number;
  readonly outcome: string | null;
}

function start(): Promise<RunningApp> {
  return startApp({
    ...world.appCredentials,
    apiUrl: world.apiUrl,
    webhookPath: WEBHOOK_PATH,
    githubHost: "github.com",
    host: "127.0.0.1",
    port: 0,
    admin: { host: "127.0.0.1", port: 0 },
    dataDir: folder,
    databaseUrl: given?.url ?? "",
    reviewerLogin: null,
    workers: 2,
    dryRun: false,
    embeddings: { kind: "local" },
    model: null,
    reranker: { kind: "off" },
    pace: false,
    debounce: false,
    waits: { settledMs: 0 },
    inspector: inspector(),
    missed: "off",
    log: pino(
      { level: "debug", serializers: { err: loggedError, error: loggedError } },
      { write: (line) => void log.push(line) },
    ),
  });
}

async function settled(pull: Pull): Promise<JobRow> {
  const key = `github.com/${pull.repository.id}#${pull.number}`;
  let last: JobRow | undefined;
  for (let waited = 0; waited < 50_000; waited += 50) {
    const rows = await db.all<JobRow>("SELECT state, attempt, outcome FROM jobs WHERE key = $1 ORDER BY id", [key]);
    last = rows.at(-1);
    const isOpen = rows.some(({ state }) => state === "waiting" || state === "running");
    if (last !== undefined && !isOpen) return last;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no end in sight: ${JSON.stringify(last)}\n${log.slice(-20).join("")}`);
}

beforeAll(async () => {
  if (given === null) return;
  world = await startGitHub();
  db = openPostgres(given.url);
  apps = [await start(), await start()];
  world.setWebhookUrl((apps[0]?.url ?? "") + WEBHOOK_PATH);
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await db?.close();
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(given === null)("on PostgreSQL", () => {
  test("a pull request is reviewed once, pushed to, remembered; the folder stays empty", async () => {
    const shop = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n", "src/login.ts": LOGIN } });
    const pull = await world.pullRequest(shop, {
      title: "feat(login): hash passwords",
      files: { "src/login.ts": WEAK_LOGIN, "src/balance.py": BALANCE },
    });
    expect(await settled(pull)).toMatchObject({
      state: "done",
      attempt: 1,
      outcome: expect.stringMatching(/^posted /),
    });
    expect(said(world, pull)).toEqual(["src/balance.py:5 tls-verify-disabled", "src/login.ts:8 weak-password-hash"]);
    const before = summaryOf(world, pull);
    await world.push(pull, { "ops/backup.py": BACKUP });
    expect(await settled(pull)).toMatchObject({ state: "done" });
    expect(said(world, pull).slice(2)).toEqual(["ops/backup.py:3 shell-from-strings"]);
    expect(summaryOf(world, pull)).toMatchObject({ id: before.id, editedTimes: 1 });
    expect(world.comments(pull).reviews).toHaveLength(2);
    expect(await db.all("SELECT state FROM intents WHERE state <> 'posted'")).toEqual([]);
    const memories = await db.one<{ count: number }>("SELECT count(*) FROM records");
    expect(memories?.count).toBeGreaterThanOrEqual(3);
    expect(readdirSync(folder)).toEqual([]);
    expect(world.violations).toEqual([]);
  });

  test("whichever process takes a delivery, another may do the work, and goes on when one stops", async () => {
    const bank = await world.repository("acme", "bank", { files: { "README.md": "# Bank\n" } });
    const pulls: Pull[] = [];
    for (let n = 0; n < 6; n += 1) {
      pulls.push(await world.pullRequest(bank, { title: `Balance ${n}`, files: { [`src/b${n}.py`]: BALANCE } }));
    }
    await apps.pop()?.close();
    for (const pull of pulls) {
      expect(await settled(pull)).toMatchObject({ state: "done" });
      expect(world.comments(pull).reviews).toHaveLength(1);
    }
    const { status } = await fetch(`${apps[0]?.adminUrl}/readyz`);
    expect(status).toBe(200);
    expect(await (await fetch(`${apps[0]?.adminUrl}/healthz`)).json()).toMatchObject({
      ok: true,
      jobs: { running: 0 },
    });
  });

  test("a repository that is removed while the App is suspended is forgotten when GitHub confirms it [R19]", async () => {
    const shop = await world.repository("acme", "switched-off", { files: { "README.md": "# Off\n" } });
    const pull = await world.pullRequest(shop, { title: "Vermilion", files: { "src/v.py": BALANCE } });
    expect(await settled(pull)).toMatchObject({ state: "done" });
    let isSuspended = true;
    const body = { message: "This installation has been suspended" };
    world.fail({ match: { path: /access_tokens$/ }, status: 403, body, times: 1_000, chance: () => isSuspended });
    await world.reach(shop, false);
    const reviewed = async () =>
      (await db.one<{ count: number }>("SELECT count(*) FROM reviews WHERE key LIKE $1", [`github.com/${shop.id}#%`]))
        ?.count;
    const forgotten = async (outcome: RegExp) => {
      const key = `github.com/${shop.id}:forget`;
      await expect
        .poll(async () =>
          (await db.all<JobRow>("SELECT outcome FROM jobs WHERE key = $1", [key])).map((row) => row.outcome).join(),
        )
        .toMatch(outcome);
    };
    await forgotten(/^not forgotten yet: GitHub refuses: the installation is suspended/);
    expect(await reviewed()).toBe(1);
    isSuspended = false;
    await forgotten(/forgot 1 memory and 1 review$/);
    expect(await reviewed()).toBe(0);
  });

  test("the command line looks into the same store", async () => {
    const env = { ...process.env, DATABASE_URL: given?.url ?? "", APP_ID: "", KODIAI_DATA_DIR: folder };
    const run = async (...words: string[]) =>
      JSON.parse(
        (await promisify(execFile)(process.execPath, ["src/cli/main.ts", ...words, "--json"], { env })).stdout,
      );
    await until("reviews end", () => true);
    const { jobs } = await run("jobs", "ls", "--state", "done");
    expect(jobs.length).toBeGreaterThanOrEqual(7);
    expect(await run("stats")).toMatchObject({ version: 1, count: expect.any(Number) });
    const { total } = await run("memory", "stats", "--repo", "acme/shop");
    expect(total).toBeGreaterThanOrEqual(3);
    expect(readdirSync(folder)).toEqual([]);
  });
});
