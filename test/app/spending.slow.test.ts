// What the model may cost, seen from the pull request: what is no longer wanted is not asked.
// Ceilings and shares: test/flows/model-budgets.test.ts.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import type { AppOptions } from "../../src/server/app-options.ts";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type Reply, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, LOGIN, said, summaryOf, writes } from "./change-builders.ts";
import { answered, reactions, replies } from "./conversation-helpers.ts";

let harness: Harness | undefined;
let anthropic: FakeAnthropic | undefined;
afterEach(async () => {
  await harness?.close();
  await anthropic?.close();
  harness = undefined;
  anthropic = undefined;
});

const CALM = says({ findings: [], ruleFindings: [], walkthrough: "Backs the shop up every night." });

async function withModel(
  replies: Reply,
  app: Partial<AppOptions> = {},
): Promise<{ harness: Harness; asked: () => number; model: FakeAnthropic }> {
  const model = await startAnthropic({ replies: () => replies });
  anthropic = model;
  const opened = await openHarness({
    app: {
      model: {
        apiKey: "sk-ant-0123456789abcdef",
        baseUrl: model.url,
        names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
        structuredOutput: "on",
        temperature: null,
        contextTokens: null,
      },
      ...app,
    },
  });
  harness = opened;
  return { harness: opened, asked: () => model.requests.length, model };
}

/** Tokens of each question in the book, in order. */
function booked(at: Harness): readonly number[] {
  const db = new Database(join(at.dataDir, "queue.db"), { readonly: true });
  const tokens = db.prepare("SELECT input_tokens FROM spending ORDER BY at").pluck().all() as number[];
  db.close();
  return tokens;
}

async function shop(at: Harness, name = "shop", config = ""): Promise<Repository> {
  return at.world.repository("acme", name, { files: { "README.md": "# Shop\n", ".kodiai.yml": config } });
}

test("a review that a push overtakes stops asking, and posts nothing [R17]", async () => {
  const silence: Reply = () => {};
  const { harness: at, asked, model } = await withModel(silence);
  const repository = await shop(at);
  const pull = await at.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await until("a question", () => asked() === 1);
  model.script(() => CALM);
  await at.world.push(pull, { "src/login.ts": LOGIN });
  await at.settled(pull);
  const [first, second] = at.jobs(pull);
  expect(first).toMatchObject({ state: "done", outcome: "superseded: a later request took its place" });
  expect(second).toMatchObject({ state: "done", outcome: expect.stringContaining("posted") });
  expect(model.requests[0]?.isAbandoned).toBe(true);
  // The server read the question, so it is paid for.
  expect(booked(at)[0]).toBeGreaterThan(1_000);
  expect(at.world.comments(pull).reviews.map(({ commitId }) => commitId)).toEqual([pull.headSha]);
  expect(summaryOf(at.world, pull).body).toContain("Backs the shop up every night.");
});

test("a process that stops in the middle of a question books what it cost, and the next one reviews [T24]", async () => {
  const { harness: at, asked, model } = await withModel(() => {}, { waits: { settledMs: 0, drainMs: 100 } });
  const pull = await at.world.pullRequest(await shop(at), { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await until("a question", () => asked() === 1);
  model.script(() => CALM);
  await at.restart({}, () => {
    expect(booked(at)).toEqual([expect.toSatisfy((tokens: number) => tokens > 1_000)]);
    expect(said(at.world, pull)).toEqual([]);
  });
  await at.settled(pull);
  expect(summaryOf(at.world, pull).body).toContain("Backs the shop up every night.");
  expect(booked(at)).toHaveLength(asked());
});

test("pushes that follow each other are one review, as soon as the repository's wait is over", async () => {
  const opened = await openHarness({ app: { debounce: true } });
  harness = opened;
  const { world } = opened;
  const repository = await shop(opened, "shop", "review: {debounceSeconds: 3}\n");
  const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  // Opened does not wait.
  expect(await opened.settled(pull)).toMatchObject({ state: "done" });
  const started = Date.now();
  for (const text of ["one", "two", "three"]) await world.push(pull, { "NOTES.md": `${text}\n` });
  const waiting = opened.jobs(pull).at(-1);
  expect(waiting?.state).toBe("waiting");
  expect(waiting?.runAt).toBeGreaterThanOrEqual(started + 3_000);
  await opened.settled(pull);
  expect(opened.jobs(pull).map(({ state }) => state)).toEqual(["done", "superseded", "superseded", "done"]);
  expect(world.requests.filter(({ path }) => path.endsWith(`/pulls/${pull.number}/files`))).toHaveLength(2);

  // Who asks in person does not wait, and takes the place of the push that does.
  await world.push(pull, { "NOTES.md": "four\n" });
  await world.label(pull, "kodiai:review");
  const asked = Date.now();
  await opened.settled(pull);
  expect(
    opened
      .jobs(pull)
      .map(({ state }) => state)
      .slice(-2),
  ).toEqual(["superseded", "done"]);
  expect(opened.jobs(pull).at(-1)?.runAt).toBeLessThanOrEqual(asked);
});

test("however many pushes come one after the other, the first head and the last are paid for [T24]", async () => {
  const pushes = process.env.NIGHTLY === "1" ? 1_000 : 20;
  const { harness: at, asked } = await withModel(CALM, { debounce: true });
  // A push waits six times as long at most: however slow the machine is, the pushes come within
  // that.
  const repository = await shop(at, "shop", "review: {debounceSeconds: 600}\n");
  const pull = await at.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await at.settled(pull);
  const ofOne = asked();
  expect(ofOne).toBeGreaterThan(0);
  for (let push = 1; push <= pushes; push += 1) {
    const files = { "ops/backup.py": BACKUP, "NOTES.md": `${push}\n` };
    // A rebase now and then: our GitHub compares all commits of a branch for each delivery.
    await (push % 20 === 10 ? at.world.forcePush(pull, files) : at.world.push(pull, files));
  }
  await at.hurry();
  await at.settled(pull);
  const ends = at.jobs(pull).map(({ state }) => state);
  expect(ends).toHaveLength(pushes + 1);
  expect(ends.filter((state) => state !== "superseded")).toEqual(["done", "done"]);
  expect(asked()).toBeLessThanOrEqual(2 * ofOne);
  expect(summaryOf(at.world, pull).body).toContain(pull.headSha.slice(0, 7));
});

test("a head that was reviewed is reviewed in full again for people with write access only [T24]", async () => {
  const { harness: at, asked } = await withModel(CALM);
  const repository = await shop(at);
  at.world.person("stranger", { permission: "read" });
  at.world.person("trent", { permission: "triage" });
  at.world.person("wren", { permission: "write" });
  const files = { "ops/backup.py": BACKUP };
  const pull = await at.world.pullRequest(repository, {
    title: "Back up",
    author: "stranger",
    fork: "stranger",
    files,
  });
  await at.settled(pull);
  const once = asked();
  for (const login of ["stranger", "trent"]) {
    const order = await at.world.comment(pull, login, "/kodiai full review");
    await answered(at);
    expect(reactions(at.world, order)).toEqual(["eyes", "-1"]);
    expect(replies(at.world, pull).at(-1)).toContain("This head was reviewed already: people with write access can");
  }
  expect(asked()).toBe(once);
  await at.world.comment(pull, "wren", "/kodiai full review");
  await answered(at);
  expect(asked()).toBe(2 * once);
  // What was not reviewed yet, anybody may have read who may ask.
  await at.world.comment(pull, "wren", "/kodiai pause");
  await answered(at);
  await at.world.push(pull, { ...files, "src/login.ts": LOGIN });
  await at.settled(pull);
  const order = await at.world.comment(pull, "stranger", "/kodiai full review");
  await answered(at);
  expect(reactions(at.world, order)).toEqual(["eyes", "rocket"]);
  expect(asked()).toBeGreaterThan(2 * once);
});

test("a dry run asks the model, logs the review and posts nothing", async () => {
  const { harness: at, asked } = await withModel(CALM, { dryRun: true });
  const pull = await at.world.pullRequest(await shop(at), { title: "Back up", files: { "ops/backup.py": BACKUP } });
  expect(await at.settled(pull)).toMatchObject({ state: "done" });
  expect(asked()).toBeGreaterThan(0);
  expect(writes(at.world)).toEqual([]);
  expect(at.log.join("")).toMatch(/dry run: not posted/);
  expect(at.log.join("")).toContain("Backs the shop up every night.");
});
