// Check runs as a visitor of the pull request sees them. How each kind of review ends them:
// test/flows/check-run.test.ts.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, LOGIN, said, writes } from "./change-builders.ts";

const ON = "review: {checks: {enabled: true, failOn: major}}\n";
const FINDING = "ops/backup.py:3 failure Shell command is built from strings";

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

test("it fails when a posted finding is severe enough, and succeeds when a complete review has none", async () => {
  const failing = await open(ON);
  const calm = await open(ON, { "src/etag.ts": LOGIN });
  const mild = await open("review: {checks: {enabled: true, failOn: critical}}");
  expect(await checksOf(failing)).toMatchObject([{ conclusion: "failure", title: "1 major finding open" }]);
  expect(await checksOf(calm)).toMatchObject([
    { conclusion: "success", title: "Nothing open. No rule fired in 1 file; no model read it" },
  ]);
  expect(await checksOf(mild)).toMatchObject([{ conclusion: "success", annotations: [FINDING] }]);
});

test("what a merge queue would merge gets a neutral check where checks are on, beside the review of its pull request", async () => {
  const pull = await open(ON);
  const head = await harness.world.mergeGroup(pull);
  const ended = async () => (await endsOf(pull, head)).join();
  for (let tries = 0; tries < 500 && (await ended()) !== "completed neutral: Not reviewed"; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await ended()).toBe("completed neutral: Not reviewed");
  expect((await harness.world.checks(pull, head))[0]?.summary).toContain("reviewed on their pull requests");
  await harness.settled(pull);
  expect(await endsOf(pull)).toEqual(["completed failure: 1 major finding open"]);
  const without = await open("");
  const other = await harness.world.mergeGroup(without);
  await until(
    "both groups ended",
    () => harness.rows("SELECT 1 FROM jobs WHERE key LIKE '%!merge-%' AND state = 'done'").length === 2,
  );
  expect(await endsOf(without, other)).toEqual([]);
});

test("checks of other Apps, and GitHub's events about ours, are answered and not stored", async () => {
  const { world } = harness;
  const pull = await open(ON);
  await harness.settled(pull);
  const kept = harness.rows("SELECT 1 FROM deliveries").length;
  for (const event of ["check_run", "check_suite"] as const)
    for (const action of ["created", "completed"] as const)
      expect(await world.otherCheck(pull, event, action)).toMatchObject({ status: 202 });
  const other = { id: 1, head_sha: pull.headSha, app: { id: 1 } };
  await world.deliver("check_run", { action: "rerequested", check_run: other });
  expect(harness.rows("SELECT 1 FROM deliveries")).toHaveLength(kept);
});

test("re-running all checks of a head re-runs the review", async () => {
  const pull = await open(ON);
  await harness.settled(pull);
  const { id } = await harness.world.rerequestAll(pull);
  await harness.settled(pull);
  expect(harness.outcomeOf(id)).toMatchObject({ outcome: "review", reason: "rerequested" });
  expect(await endsOf(pull)).toHaveLength(2);
});

test("the check of a review that failed for good, or of a process that died, fails: a required one lets nothing pass [R32]", async () => {
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 503 });
  const pull = await open(ON);
  await harness.waitsAgain(pull);
  const db = new Database(join(harness.dataDir, "queue.db"));
  db.prepare("UPDATE jobs SET state = 'parked' WHERE state = 'waiting'").run();
  db.close();
  await harness.restart();
  await expect.poll(() => endsOf(pull)).toEqual(["completed failure: Not reviewed"]);
});

test("the check of a review that was given up while the App was suspended ends when it no longer is", async () => {
  const { world } = harness;
  let isRefused = true;
  const refused = {
    status: 403,
    body: { message: "This installation has been suspended" },
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
  await world.deliver("installation", { action: "unsuspend", installation });
  await expect.poll(() => endsOf(pull)).toEqual([expect.stringMatching(/^completed /)]);
});

test("re-running the check gives a review, against any policy", async () => {
  const pull = await open("review: {enabled: false, checks: {enabled: true, failOn: major}}\n");
  const [skipped] = await checksOf(pull);
  expect(skipped).toMatchObject({
    title: "Not reviewed",
    externalId: expect.stringMatching(`^pull/${pull.number}/[0-9a-f]{32}$`),
  });
  const { id } = await harness.world.rerequest(pull, skipped?.id ?? 0);
  await harness.settled(pull);
  expect(harness.outcomeOf(id)).toMatchObject({ outcome: "review", reason: "rerequested" });
  expect(said(harness.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect((await endsOf(pull)).at(-1)).toBe("completed failure: 1 major finding open");
});

test("a dry run makes no check run and logs how it would end", async () => {
  await harness.restart({ dryRun: true });
  const before = writes(harness.world).length;
  const pull = await open(ON);
  expect(await checksOf(pull)).toEqual([]);
  expect(writes(harness.world)).toHaveLength(before);
  expect(harness.log.join("")).toMatch(/"what":"check run","body":"failure: 1 major finding open"/);
  await harness.restart();
});
