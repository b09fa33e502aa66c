// What the model may cost, seen from the pull request: ceilings, the month's share, and what is no longer wanted.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import type { AppOptions } from "../../src/server/app-options.ts";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type Reply, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
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
  {
    usdPerMonth = null,
    repositoryPercent = 100,
    app = {},
  }: {
    readonly usdPerMonth?: number | null;
    readonly repositoryPercent?: number;
    readonly app?: Partial<AppOptions>;
  } = {},
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
        usdPerMonth,
        repositoryPercent,
      },
      ...app,
    },
  });
  harness = opened;
  return { harness: opened, asked: () => model.requests.length, model };
}

function spend(at: Harness, repository: Repository, usd: number): void {
  const db = new Database(join(at.dataDir, "queue.db"));
  db.prepare(
    "INSERT INTO spending (repo, at, purpose, input_tokens, output_tokens, usd) VALUES (?, ?, 'review', 1, 1, ?)",
  ).run(`github.com/${repository.id}`, Date.now(), usd);
  db.close();
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

test("what other repositories spent counts for the operator's ceiling, and the reason is said [T24]", async () => {
  const { harness: at, asked } = await withModel(CALM, { usdPerMonth: 20 });
  const [one, other] = [await shop(at), await shop(at, "player")];
  spend(at, other, 20);
  const pull = await at.world.pullRequest(one, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await at.settled(pull);
  expect(asked()).toBe(0);
  expect(said(at.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect(summaryOf(at.world, pull).body).toContain(
    "- `model`: the operator's budget of USD 20 for all repositories is used up this month: rules and memory only",
  );
});

test("the footer shows the cost of the month once most of its budget is spent", async () => {
  const { harness: at } = await withModel(CALM, { usdPerMonth: 200 });
  const repository = await shop(at);
  const footer = async () => {
    const pull = await at.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    await at.settled(pull);
    return summaryOf(at.world, pull).body;
  };
  spend(at, repository, 30);
  expect(await footer()).not.toContain("this month");
  spend(at, repository, 11);
  expect(await footer()).toMatch(/USD 41\.\d\d of 50 this month\. Memory: /);
  spend(at, await shop(at, "player"), 150);
  expect(await footer()).toMatch(/USD 191\.\d\d of 200 this month, of all repositories\. Memory: /);
});

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
  const { harness: at, asked, model } = await withModel(() => {}, { app: { waits: { settledMs: 0, drainMs: 100 } } });
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
  const pushes = process.env.SLOW === "1" ? 1_000 : 60;
  const { harness: at, asked } = await withModel(CALM, { app: { debounce: true } });
  // A push waits six times as long at most: however slow the machine is, the pushes come within that.
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
}, 600_000);

/** USD 0.40 a question. */
const DEAR = says(
  { findings: [], ruleFindings: [], walkthrough: "Backs up." },
  { usage: { input_tokens: 150_000, output_tokens: 10_000 } },
);

const spentIn = (at: Harness) => Number(at.rows("SELECT coalesce(sum(usd), 0) AS usd FROM spending")[0]?.usd);

test("strangers' forks, however many and however long what they write, spend a tenth of the month and one question at most [T24]", async () => {
  const forks = process.env.SLOW === "1" ? 200 : 14;
  const { harness: at, asked } = await withModel(DEAR, { app: { workers: 1 } });
  const repository = await shop(at);
  const body = "Please look at all of this. ".repeat(37_000);
  const pulls: Pull[] = [];
  for (let number = 0; number < forks; number++) {
    const author = `stranger${number}`;
    at.world.person(author, { permission: "read" });
    const files = { "ops/backup.py": BACKUP, "docs/notes.md": "And so on. ".repeat(10_000) };
    pulls.push(
      await at.world.pullRequest(repository, { title: `Back up ${number}`, author, fork: author, body, files }),
    );
  }
  for (const pull of pulls) expect(await at.settled(pull)).toMatchObject({ state: "done" });
  const ofStrangers = asked();
  expect(ofStrangers).toBeGreaterThan(8);
  expect(spentIn(at)).toBeLessThanOrEqual(5 + 0.4);
  const reported = pulls.map((pull) => summaryOf(at.world, pull).body);
  const without = reported.filter((text) =>
    text.includes(
      "- `model`: this month's budget of USD 5 for people without write access (`review.budget.outsiders`) is used up: rules and memory only",
    ),
  );
  expect(without.length).toBeGreaterThanOrEqual(forks - ofStrangers);
  expect(without.length).toBeGreaterThan(0);
  // Rules cost nothing.
  for (const pull of pulls) expect(said(at.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  // Nor may they spend it by questions.
  await at.restart();
  const [last] = pulls.slice(-1);
  if (last === undefined) throw new Error("no fork");
  await at.world.comment(last, `stranger${forks - 1}`, "/kodiai ask Is the lock needed here?");
  await answered(at);
  expect(replies(at.world, last).at(-1)).toContain("No model answers this (this month's budget of USD 5 for people");
  expect(asked()).toBe(ofStrangers);
  // People with write access have the rest, for a stranger's change too.
  const own = await at.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await at.settled(own);
  expect(asked()).toBeGreaterThan(ofStrangers);
  expect(summaryOf(at.world, own).body).not.toContain("`model`");
  at.world.person("wren", { permission: "write" });
  await at.world.comment(last, "wren", "/kodiai review");
  await answered(at);
  const summary = last.issueComments.find((comment) => comment.body.includes("kodiai:summary"));
  expect(summary?.body).not.toContain("is used up");
}, 600_000);

test("a pull request of people without write access is read by the model three times in 24 hours, over restarts and pushes [T24]", async () => {
  const { harness: at, asked } = await withModel(CALM);
  const repository = await shop(at);
  at.world.person("stranger", { permission: "read" });
  const files = { "ops/backup.py": BACKUP };
  const pull = await at.world.pullRequest(repository, {
    title: "Back up",
    author: "stranger",
    fork: "stranger",
    files,
  });
  await at.settled(pull);
  for (const push of [2, 3]) {
    await at.world.push(pull, { ...files, "src/more.py": `${BACKUP}# ${push}\n` });
    await at.settled(pull);
  }
  const ofThree = asked();
  expect(ofThree).toBeGreaterThanOrEqual(3);
  await at.restart();
  await at.world.push(pull, { ...files, "src/more.py": `${BACKUP}# 4\n` });
  await at.settled(pull);
  // Who orders it does not matter as long as they may not write.
  await at.world.comment(pull, "stranger", "/kodiai review");
  await answered(at);
  expect(asked()).toBe(ofThree);
  expect(summaryOf(at.world, pull).body).toContain(
    "- `model`: a pull request gets 3 reviews by the model in 24 hours for people without write access (`review.budget.outsiders`), and these are used up: rules and memory only",
  );
  expect(said(at.world, pull)).toContain("ops/backup.py:3 shell-from-strings");
  // Their other pull requests have their own three.
  const other = await at.world.pullRequest(repository, { title: "More", author: "stranger", fork: "stranger", files });
  await at.settled(other);
  expect(asked()).toBeGreaterThan(ofThree);
  // A day later.
  const before = asked();
  await at.restart({}, () => {
    const db = new Database(join(at.dataDir, "queue.db"));
    db.prepare("UPDATE spending SET at = at - 86400001").run();
    db.close();
  });
  await at.world.push(pull, { ...files, "src/more.py": `${BACKUP}# 5\n` });
  await at.settled(pull);
  expect(asked()).toBeGreaterThan(before);
}, 200_000);

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
}, 200_000);

test("one repository uses its share of the operator's ceiling and leaves the rest to the others, and the reason is said [T24]", async () => {
  const { harness: at, asked } = await withModel(CALM, { usdPerMonth: 20, repositoryPercent: 50 });
  const [busy, other] = [await shop(at), await shop(at, "player")];
  spend(at, busy, 10);
  const open = async (repository: Repository) => {
    const pull = await at.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    await at.settled(pull);
    return summaryOf(at.world, pull).body;
  };
  expect(await open(busy)).toContain(
    "- `model`: this repository's share of USD 10 of the operator's budget is used up this month: rules and memory only",
  );
  expect(asked()).toBe(0);
  expect(await open(other)).not.toContain("is used up");
  expect(asked()).toBeGreaterThan(0);
});

test("the first changes of strangers are read by the small model where the repository wants it so, and the review says it [T24]", async () => {
  const { harness: at, model } = await withModel(CALM);
  const repository = await shop(at, "shop", "review: {newcomers: cheap}\n");
  const files = { "ops/backup.py": BACKUP };
  const readers = async (options: { readonly author: string; readonly fork?: string }) => {
    const before = model.requests.length;
    const pull = await at.world.pullRequest(repository, { title: "Back up", files, ...options });
    await at.settled(pull);
    const names = new Set(model.requests.slice(before).map(({ body }) => String(body.model)));
    return { names: [...names], body: summaryOf(at.world, pull).body };
  };
  const stranger = await readers({ author: "stranger", fork: "stranger" });
  expect(stranger.names).toEqual(["claude-haiku-5-5"]);
  expect(stranger.body).toContain(
    "- `model`: claude-haiku-5-5 reads the first pull requests of people from forks here (`review.newcomers`)",
  );
  // Whoever may push here is no stranger, nor is whose changes were merged.
  expect((await readers({ author: "mona" })).names).toContain("claude-sonnet-5-5");
  at.world.person("known", { mergedPullRequests: 3 });
  const known = await readers({ author: "known", fork: "known" });
  expect(known.names).toContain("claude-sonnet-5-5");
  expect(known.body).not.toContain("review.newcomers");
});

test("a dry run asks the model, logs the review and posts nothing", async () => {
  const { harness: at, asked } = await withModel(CALM, { app: { dryRun: true } });
  const pull = await at.world.pullRequest(await shop(at), { title: "Back up", files: { "ops/backup.py": BACKUP } });
  expect(await at.settled(pull)).toMatchObject({ state: "done" });
  expect(asked()).toBeGreaterThan(0);
  expect(writes(at.world)).toEqual([]);
  expect(at.log.join("")).toMatch(/dry run: not posted/);
  expect(at.log.join("")).toContain("Backs the shop up every night.");
});

test("reviews that run at the same time spend no more than the budget together, and what is set aside is said [T24]", async () => {
  // Nobody is answered before all have asked whether they may.
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const late: Reply = (response, call) => void held.then(() => DEAR(response, call));
  const { harness: at } = await withModel(late, { usdPerMonth: 1, app: { workers: 7 } });
  const repository = await shop(at, "shop", "review: {budget: {usdPerReview: 0.5}}\n");
  const pulls: Pull[] = [];
  for (let number = 0; number < 6; number++)
    pulls.push(await at.world.pullRequest(repository, { title: `${number}`, files: { "ops/backup.py": BACKUP } }));
  const ended = () => pulls.filter((pull) => at.jobs(pull).at(-1)?.state === "done");
  await until("the end of those for which nothing is left", () => ended().length === 4);
  letGo();
  for (const pull of pulls) expect(await at.settled(pull)).toMatchObject({ state: "done" });
  const [{ usd } = { usd: 0 }] = at.rows("SELECT sum(usd) AS usd FROM spending");
  expect(Number(usd)).toBeGreaterThan(0);
  expect(Number(usd)).toBeLessThanOrEqual(1);
  const reported = pulls.map((pull) => summaryOf(at.world, pull).body);
  expect(
    reported.filter((text) =>
      text.includes(
        "what is left of the operator's budget of USD 1 for all repositories is set aside for reviews that run at this moment: rules and memory only",
      ),
    ).length,
  ).toBeGreaterThan(0);
  for (const pull of pulls) expect(said(at.world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect(at.rows("SELECT * FROM bookings")).toEqual([]);
});
