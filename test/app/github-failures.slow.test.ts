// GitHub fails, the connection breaks, the process dies: in the end there is one review, and
// nothing is said twice.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, BALANCE, LOGIN, said, summaryOf, WEAK_LOGIN } from "./change-builders.ts";

let harness: Harness;
let repository: Repository;

beforeAll(async () => {
  harness = await openHarness();
  repository = await harness.world.repository("acme", "shop", { files: { "src/login.ts": LOGIN } });
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

function open(files = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE }): Promise<Pull> {
  return harness.world.pullRequest(repository, { title: "Back up", files });
}

function expectOneReview(pull: Pull): void {
  expect(said(harness.world, pull).toSorted()).toEqual([
    "ops/backup.py:3 shell-from-strings",
    "src/balance.py:5 tls-verify-disabled",
  ]);
  expect(harness.world.comments(pull).reviews).toHaveLength(1);
  expect(summaryOf(harness.world, pull).body).toMatch(/^\*\*2 \w+ findings open\*\*/);
}

/** How often the files of the pull request were listed: once for each review that was written. */
function timesRead(pull: Pull): number {
  const path = `/repos/acme/shop/pulls/${pull.number}/files`;
  return harness.world.requests.filter((request) => request.path === path).length;
}

test("a comment that GitHub refuses does not take the others with it [R31]", async () => {
  const { world } = harness;
  const files = { "src/login.ts": WEAK_LOGIN, "ops/backup.py": BACKUP, "src/balance.py": BALANCE };
  // All three, then two of them, then the first alone.
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 422, times: 3 });
  const pull = await world.pullRequest(repository, { title: "Hash", files });
  await harness.settled(pull);
  const { file, reviews } = world.comments(pull);
  const onLines = said(world, pull).map((one) => one.split(":")[0]);
  expect([...onLines, ...file.map(({ path }) => path)].toSorted()).toEqual(Object.keys(files).toSorted());
  expect(file).toHaveLength(1);
  // The comment on a file stands in a review of its own, without a word.
  expect(reviews.map(({ body }) => body !== "")).toEqual([true, false]);
  expect(summaryOf(world, pull).body).toMatch(/^\*\*3 .*findings open\*\*\n\n2 inline, 1 on whole files\./);
  expect(summaryOf(world, pull).body).toContain("GitHub did not take a comment on these lines");
});

test("a review that landed although GitHub answered 502 is not posted again [R6]", async () => {
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502, afterApplying: true });
  const pull = await open();
  expect(await harness.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
  expectOneReview(pull);
  expect(summaryOf(harness.world, pull).body).toContain("All inline.");
});

test("a summary that landed although the connection broke is edited, not written again [R6]", async () => {
  harness.world.fail({ match: { method: "POST", path: /\/issues\/\d+\/comments$/ }, afterApplying: true, drop: true });
  const pull = await open();
  expect(await harness.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
  expectOneReview(pull);
});

test("a review that was written is sent after a restart without being written again [R7][R33]", async () => {
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 500, times: 2 });
  const pull = await open();
  await harness.waitsAgain(pull);
  expect(summaryOf(harness.world, pull).body).toContain("All inline.");
  expect(said(harness.world, pull)).toEqual([]);
  await harness.hurry();
  await harness.waitsAgain(pull);
  await harness.hurry();
  expect(await harness.settled(pull)).toMatchObject({ state: "done", attempt: 3 });
  expectOneReview(pull);
  expect(timesRead(pull)).toBe(1);
});

test("a written review of a head that moved meanwhile is dropped, and the new head is reviewed [R17]", async () => {
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 503 });
  const pull = await open();
  await harness.waitsAgain(pull);
  await harness.world.push(pull, { "ops/backup.py": null }, { announce: false });
  await harness.hurry();
  await harness.settled(pull);
  expect(said(harness.world, pull)).toEqual(["src/balance.py:5 tls-verify-disabled"]);
  expect(harness.world.comments(pull).inline.map(({ commitId }) => commitId)).toEqual([pull.headSha]);
});

test.each([
  ["a secondary limit", { status: 403, retryAfter: 120 }],
  ["a primary limit", { status: 429, retryAfter: 300 }],
])("%s is obeyed: nothing is asked before the time that GitHub names [R8]", async (_name, limit) => {
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, ...limit });
  const asked = Date.now();
  const pull = await open();
  const { runAt, outcome } = await harness.waitsAgain(pull);
  // GitHub gives the end of a primary limit in whole seconds; those who wait for it do not all come
  // at once.
  expect(runAt).toBeGreaterThanOrEqual(asked + (limit.retryAfter - 1) * 1000);
  expect(runAt).toBeLessThan(Date.now() + (limit.retryAfter + 7) * 1000);
  expect(outcome).toContain(`GitHub answered ${limit.status} to POST /repos/acme/shop/pulls/${pull.number}/reviews`);
  await harness.hurry();
  await harness.settled(pull);
  expectOneReview(pull);
});

test("a token that was revoked is replaced [R9]", async () => {
  const before = await open();
  await harness.settled(before);
  harness.world.revokeTokens();
  const pull = await open();
  expect(await harness.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
  expectOneReview(pull);
});

test("what can be done without is missing with its reason, and the review goes on", async () => {
  harness.world.fail({ match: { method: "GET", path: "/search/issues" }, status: 503 });
  harness.world.fail({ match: { method: "GET", path: /\/contents\/ops/ }, drop: true });
  const fresh = harness.world.person("nele");
  const pull = await harness.world.pullRequest(repository, {
    title: "Back up",
    author: fresh.login,
    files: { "ops/backup.py": BACKUP, "src/balance.py": BALANCE },
  });
  await harness.settled(pull);
  expect(said(harness.world, pull)).toContain("src/balance.py:5 tls-verify-disabled");
  const { body } = summaryOf(harness.world, pull);
  expect(body).toContain("This review is **incomplete**, see below.");
  expect(body).toContain("- `author-tier`: GitHub answered 503 to GET /search/issues");
  expect(body).toContain("- `head-text`");
});

test("the job of a process that died comes before all waiting ones at the next start [R2]", async () => {
  const pulls = [await open(), await open(), await open()];
  for (const pull of pulls) await harness.settled(pull);
  const last = pulls[2] as Pull;
  const before = harness.world.requests.length;
  await harness.restart({ workers: 1 }, () => {
    const db = new Database(join(harness.dataDir, "queue.db"));
    const set = db.prepare("UPDATE jobs SET state = ?, owner = ?, run_at = ? WHERE key LIKE ? AND lane = 'review'");
    // It was the first to be due when it was taken up.
    for (const pull of pulls)
      set.run(...(pull === last ? ["running", "gone", 0] : ["waiting", null, 1]), `%#${pull.number}`);
    db.close();
  });
  for (const pull of pulls) expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  const asked = harness.world.requests.slice(before).flatMap(({ path }) => /\/pulls\/(\d+)/.exec(path)?.[1] ?? []);
  expect(Number(asked[0])).toBe(last.number);
  await harness.restart();
});

test("a job that the process left behind when it died is taken up again [R2]", async () => {
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502 });
  const pull = await open();
  await harness.waitsAgain(pull);
  await harness.crash();
  expect(await harness.settled(pull)).toMatchObject({ state: "done", attempt: 2 });
  expectOneReview(pull);
  expect(timesRead(pull)).toBe(1);
});
