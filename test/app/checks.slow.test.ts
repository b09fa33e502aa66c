// What check runs ask of GitHub and of a server, where test/flows/check-run.test.ts has the same
// without both.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { readManifest } from "../fakes/github/manifest.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, LOGIN, said, summaryOf } from "./change-builders.ts";

const ON = "review: {checks: {enabled: true, failOn: major}}\n";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

let serial = 0;

function repositoryWith(config: string): Promise<Repository> {
  const files = { "src/login.ts": LOGIN, ".kodiai.yml": config };
  return harness.world.repository("acme", `shop-${++serial}`, { files });
}

async function open(config: string, files: Readonly<Record<string, string>> = { "ops/backup.py": BACKUP }) {
  return harness.world.pullRequest(await repositoryWith(config), { title: "Back up", files });
}

async function checksOf(pull: Pull) {
  await harness.settled(pull);
  return harness.world.checks(pull);
}

/** `STATUS CONCLUSION TITLE` of each check run. */
async function endsOf(pull: Pull, sha?: string): Promise<string[]> {
  const runs = await harness.world.checks(pull, sha);
  return runs.map(({ status, conclusion, title }) => `${status} ${conclusion}: ${title}`);
}

/** The check is begun, and neither its answer nor a look tells us so. */
function loseBegin(looks: number) {
  harness.world.fail({ match: { method: "POST", path: /\/check-runs$/ }, status: 502, afterApplying: true });
  harness.world.fail({ match: { method: "GET", path: /\/check-runs/ }, status: 422, times: looks });
}

test("the check of a review that was given up while the App was without a permission ends when it no longer is", async () => {
  const { world } = harness;
  let isRefused = true;
  const refused = {
    status: 403,
    body: { message: "Resource not accessible by integration" },
    times: 1_000,
    chance: () => isRefused,
  };
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, ...refused });
  world.fail({ match: { method: "PATCH", path: /\/check-runs\/\d+$/ }, ...refused });
  const pull = await open(ON);
  expect(await harness.settled(pull)).toMatchObject({ state: "parked" });
  await until("it was tried", () => harness.log.some((line) => line.includes('"outcome":"refused"')));
  expect(await endsOf(pull)).toEqual(["in_progress null: null"]);
  isRefused = false;
  const installation = { id: 1, account: { login: "acme", id: 1, type: "Organization" }, suspended_at: null };
  await world.deliver("installation", { action: "new_permissions_accepted", installation });
  await expect.poll(() => endsOf(pull)).toEqual([expect.stringMatching(/^completed /)]);
});

test("a check that is on GitHub and was never recorded is ended by the sweep", async () => {
  loseBegin(2);
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 503 });
  const pull = await open(ON);
  await harness.waitsAgain(pull);
  const db = new Database(join(harness.dataDir, "queue.db"));
  db.prepare("UPDATE jobs SET state = 'parked' WHERE state = 'waiting'").run();
  expect(await endsOf(pull)).toEqual(["in_progress null: null"]);
  await harness.restart();
  const unknown = () => db.prepare("SELECT count(*) FROM intents WHERE state = 'sent'").pluck().get();
  await expect.poll(unknown).toBe(0);
  db.close();
  await harness.restart();
  await expect.poll(() => endsOf(pull)).toEqual(["completed failure: Not reviewed"]);
});

test("many findings are sent in several requests, fifty annotations each", async () => {
  const call = '    subprocess.run("tar czf /backup/" + name + ".tgz /srv", shell=True, check=True)\n';
  const many = `import subprocess\ndef backup(name: str) -> None:\n${call.repeat(120)}`;
  const pull = await open(ON, { "ops/backup.py": many });
  const [check] = await checksOf(pull);
  const sent = harness.world.requests
    .filter(({ method, path }) => method === "PATCH" && path.endsWith(`/check-runs/${check?.id}`))
    .map(({ body }) => (body as { output: { annotations: unknown[] } }).output.annotations.length);
  expect(sent).toEqual([50, 50, 20]);
  expect(check?.conclusion).toBe("failure");
});

test("an App that was not granted check runs reviews without, and says so", async () => {
  const manifest = readManifest();
  const { checks, ...permissions } = manifest.permissions;
  expect(checks).toBe("write");
  const other = await openHarness({ manifest: { ...manifest, permissions } });
  try {
    const files = { "README.md": "# Shop\n", ".kodiai.yml": ON };
    const repository = await other.world.repository("acme", "shop", { files });
    const pull = await other.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    expect(await other.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
    expect(said(other.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
    expect(summaryOf(other.world, pull).body).toContain("the App needs the permission `checks: write`");
    expect(await other.world.checks(pull)).toEqual([]);
  } finally {
    await other.close();
  }
});
