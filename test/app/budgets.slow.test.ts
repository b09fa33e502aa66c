// What strangers may spend, through the running server: over restarts, pushes, orders and
// questions.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import type { AppOptions } from "../../src/server/app-options.ts";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type Reply, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, said, summaryOf } from "./change-builders.ts";
import { answered, replies } from "./conversation-helpers.ts";

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

function shop(at: Harness): Promise<Repository> {
  return at.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
}

/** USD 0.40 a question. */
const DEAR = says(
  { findings: [], ruleFindings: [], walkthrough: "Backs up." },
  { usage: { input_tokens: 150_000, output_tokens: 10_000 } },
);

const spentIn = (at: Harness) => Number(at.rows("SELECT coalesce(sum(usd), 0) AS usd FROM spending")[0]?.usd);

test("strangers' forks, however many and however long what they write, spend a tenth of the month and one question at most [T24]", async () => {
  const forks = process.env.NIGHTLY === "1" ? 200 : 14;
  const { harness: at, asked } = await withModel(DEAR, { workers: 1 });
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
});

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
    "- `model`: a pull request gets 3 reviews by the model in 24 hours for people without write access (`review.budget.outsiders`), used up by now: rules and memory only",
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
});
