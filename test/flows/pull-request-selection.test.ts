// Which pull requests are reviewed, and which are left alone with a recorded reason: through
// reception, queue, flows and store. test/app/pull-request-selection.test.ts shows that the same
// works over HTTP.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import { BACKUP, LOGIN, said, summaryOf } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import type { PullRequestOptions } from "../fakes/github/pull-actions.ts";

let harness: FlowHarness;
let repository: Repository;
let opened = 0;

beforeAll(async () => {
  harness = await openFlow({ reviewerLogin: "kodiai-reviewer" });
  repository = await harness.world.repository("acme", "shop", { files: { "src/login.ts": LOGIN } });
});
afterAll(() => harness.close());

/** A pull request with one finding, each on a branch and a file of its own. */
function open(options: Partial<PullRequestOptions>): Promise<Pull> {
  opened++;
  const files = { [`ops/backup-${opened}.py`]: BACKUP };
  return harness.world.pullRequest(repository, { title: "Back up", files, ...options });
}

/** What became of the newest delivery. */
function lastOutcome(): { readonly outcome: string; readonly reason: string } | null {
  return harness.outcomeOf(harness.world.deliveries.at(-1)?.id ?? "");
}

function expectNothingSaid(pull: Pull): void {
  const { reviews, inline, file, summary } = harness.world.comments(pull);
  expect({ reviews, inline, file, summary }).toEqual({ reviews: [], inline: [], file: [], summary: [] });
}

test("a draft waits until it is ready for review", async () => {
  const pull = await open({ draft: true });
  expect(await harness.settled(pull)).toMatchObject({ state: "done", outcome: "skipped: the pull request is a draft" });
  expectNothingSaid(pull);

  await harness.world.readyForReview(pull);
  await harness.settled(pull);
  expect(said(harness.world, pull)).toHaveLength(1);
});

test("a title tagged [wip] holds the review back until the tag goes", async () => {
  const pull = await open({ title: "[WIP] Back up" });
  expect(await harness.settled(pull)).toMatchObject({ outcome: "skipped: the title is tagged [wip]" });
  await harness.world.edit(pull, { title: "[WIP] Back up nightly" });
  expect(lastOutcome()).toMatchObject({ outcome: "ignored" });
  expectNothingSaid(pull);

  await harness.world.edit(pull, { title: "Back up nightly" });
  await harness.settled(pull);
  expect(said(harness.world, pull)).toHaveLength(1);
});

test("a second request for the same head is answered without repeating a comment", async () => {
  const pull = await open({});
  await harness.settled(pull);
  const [comment] = harness.world.comments(pull).inline;

  await harness.world.label(pull, "kodiai:review");
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });

  expect(harness.world.comments(pull).inline).toEqual([comment]);
  expect(summaryOf(harness.world, pull).body).toContain("Posted earlier.");
});

test("requesting a review from Kodiai's account asks for one, from others it does not", async () => {
  const pull = await open({ draft: true });
  await harness.settled(pull);
  await harness.world.requestReview(pull, "lena");
  expect(lastOutcome()).toEqual({ outcome: "ignored", reason: "the review was requested from someone else" });

  await harness.world.requestReview(pull, "Kodiai-Reviewer");
  await harness.settled(pull);
  expect(said(harness.world, pull)).toHaveLength(1);
});

test("a pull request that closes before it is reviewed is left alone [R18]", async () => {
  const pull = await open({ announce: false });
  await harness.world.closePull(pull, { announce: false });
  // This delivery was written while the pull request was open, and arrives late, as deliveries may.
  await harness.world.label({ ...pull, state: "open" }, "kodiai:review");
  expect(await harness.settled(pull)).toMatchObject({ outcome: "skipped: the pull request is closed" });
  expectNothingSaid(pull);
});

test("a pull request that was closed and reopened is reviewed although the first event arrives last", async () => {
  const { world } = harness;
  harness.before("pulls.changes", () => {
    throw new Transient("GitHub answered 503");
  });
  const pull = await open({});
  expect(await harness.settled(pull)).toMatchObject({ state: "waiting", attempt: 1 });
  await world.closePull(pull);
  // It was opened again before, and that was told first.
  Object.assign(pull, { state: "open" });
  harness.hurry();
  await harness.settled(pull);
  expect(said(world, pull)).toHaveLength(1);
});

test("a conversation that is locked meanwhile is left alone [R18]", async () => {
  const pull = await open({ announce: false });
  harness.world.lock(pull);
  await harness.world.label({ ...pull, locked: false }, "kodiai:review");
  expect(await harness.settled(pull)).toMatchObject({ outcome: "skipped: the conversation is locked" });
  expectNothingSaid(pull);
});

test("a base branch that changes asks for a review against the new one", async () => {
  await harness.world.commit(repository, { "src/login.ts": `${LOGIN}\n` });
  const pull = await open({});
  await harness.settled(pull);
  const files = { "ops/other.py": BACKUP };
  const target = await harness.world.pullRequest(repository, { title: "Release", branch: "release/1", files });
  await harness.settled(target);

  await harness.world.edit(pull, { base: "release/1" });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(summaryOf(harness.world, pull).body).toContain(pull.baseSha);
});

test("another bot's pull request is left alone, until a person asks for it", async () => {
  harness.world.person("dependab0t[bot]", { id: 424242, type: "Bot" });
  const pull = await open({ author: "dependab0t[bot]" });
  expect(await harness.settled(pull)).toMatchObject({
    outcome: "skipped: opened by a bot, dependab0t[bot], that review.bots leaves out",
  });
  expectNothingSaid(pull);
  harness.world.person("wren", { permission: "write" });
  await harness.world.label(pull, "kodiai:review", "wren");
  expect((await harness.settled(pull)).outcome).toMatch(/^posted/);
});

test("a pull request without changes gets a summary that says so to who asks", async () => {
  const pull = await open({ files: { "src/login.ts": `${LOGIN}\n` } });
  await harness.settled(pull);
  expectNothingSaid(pull);
  await harness.world.label(pull, "kodiai:review");
  await harness.settled(pull);
  const { reviews } = harness.world.comments(pull);
  expect(reviews).toEqual([]);
  expect(summaryOf(harness.world, pull).body).toMatch(/^\*\*Nothing to review\*\*: no file was changed/);
});
