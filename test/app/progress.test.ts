// The summary while a model reads, as a visitor of the pull request sees it: it says so at once, and never stays so. However a review ends:
// test/flows/progress.test.ts.
import { afterEach, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, BALANCE } from "./change-builders.ts";

const QUIET = { findings: [], ruleFindings: [], walkthrough: "Backs the shop up." };
const READING = /^⏳ Reading 1 file of \[`[0-9a-f]{7}`\]\(https:[^)]*\)…\n\n<!-- kodiai:progress -->\n\n/;

let harness: Harness;
let anthropic: FakeAnthropic;
/** Lets the model answer; until then it is silent. */
let isOpen = false;
const waiting: (() => void)[] = [];

afterEach(async () => {
  letAnswer();
  expect(harness.world.violations).toEqual([]);
  await harness.close();
  await anthropic.close();
});

async function play(): Promise<Pull> {
  isOpen = false;
  anthropic = await startAnthropic({
    replies: () => (response, call) => {
      const answer = () => says(QUIET)(response, call);
      if (isOpen) answer();
      else waiting.push(answer);
    },
  });
  const model = {
    apiKey: "sk-ant-0123456789abcdef",
    baseUrl: anthropic.url,
    names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
    structuredOutput: "on",
    temperature: null,
    contextTokens: null,
  } as const;
  harness = await openHarness({ app: { model } });
  harness.world.person("wren", { permission: "write" });
  const repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await harness.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await until("the model is asked", () => waiting.length > 0);
  return pull;
}

function letAnswer(): void {
  isOpen = true;
  for (const answer of waiting.splice(0)) answer();
}

/** Bodies of the comments of ours in the conversation. */
function summaries(pull: Pull): readonly string[] {
  return pull.issueComments.filter(({ author }) => author === harness.world.bot).map(({ body }) => body);
}

test("the summary says at once that the model reads, is edited in place, and says it above the old one after a push", async () => {
  const pull = await play();
  expect(summaries(pull)).toEqual([expect.stringMatching(READING)]);
  letAnswer();
  await harness.settled(pull);
  const [first = "", ...more] = summaries(pull);
  expect(more).toEqual([]);
  expect(first).toMatch(/^\*\*1 major finding open\*\*\n/);
  expect(first).not.toContain("Reading");

  isOpen = false;
  await harness.world.push(pull, { "src/balance.py": BALANCE });
  await until("the model is asked again", () => waiting.length > 0);
  const [second = ""] = summaries(pull);
  expect(second).toMatch(/^⏳ Reading 2 files of /);
  expect(second.endsWith(first)).toBe(true);
  letAnswer();
  await harness.settled(pull);
  expect(summaries(pull)).toEqual([expect.not.stringContaining("Reading")]);
  expect(harness.rows("SELECT * FROM progress_notes")).toEqual([]);
});

test("a process that dies while the model reads: the next one goes on, and ends it with its review", async () => {
  const pull = await play();
  await harness.crash();
  expect(summaries(pull)).toEqual([expect.stringMatching(READING)]);
  letAnswer();
  await harness.settled(pull);
  expect(summaries(pull)).toEqual([expect.stringMatching(/^\*\*1 major finding open\*\*\n/)]);
});

test("a progress note that GitHub does not let us end stays recorded, and is ended once the permission is back", async () => {
  const pull = await play();
  let isRefused = true;
  harness.world.fail({
    match: { method: "PATCH", path: /\/issues\/comments\/\d+$/ },
    status: 403,
    body: { message: "Resource not accessible by integration" },
    times: 1_000,
    chance: () => isRefused,
  });
  await harness.world.closePull(pull, { merged: false });
  letAnswer();
  await harness.settled(pull);
  // A start sweeps at once, instead of within a minute.
  await harness.restart();
  await until("it was tried", () => harness.log.some((line) => line.includes("left-over progress summary")));
  expect(summaries(pull)).toEqual([expect.stringMatching(READING)]);
  isRefused = false;
  const installation = { id: 1, account: { login: "acme", id: 1, type: "Organization" }, suspended_at: null };
  await harness.world.deliver("installation", { action: "new_permissions_accepted", installation });
  await expect.poll(() => summaries(pull), { timeout: 20_000 }).toEqual([expect.stringMatching(/^Not reviewed: /)]);
});
