// Which pull requests are reviewed, and which are left alone with a recorded reason; more of them
// are in test/flows/pull-request-selection.test.ts.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import type { PullRequestOptions } from "../fakes/github/pull-actions.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, LOGIN, said, summaryOf } from "./change-builders.ts";

let harness: Harness;
let repository: Repository;
let opened = 0;

beforeAll(async () => {
  harness = await openHarness({ app: { reviewerLogin: "kodiai-reviewer" } });
  repository = await harness.world.repository("acme", "shop", { files: { "src/login.ts": LOGIN } });
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

/** A pull request with one finding, each on a branch and a file of its own. */
function open(options: Partial<PullRequestOptions>): Promise<Pull> {
  opened++;
  const files = { [`ops/backup-${opened}.py`]: BACKUP };
  return harness.world.pullRequest(repository, { title: "Back up", files, ...options });
}

function expectNothingSaid(pull: Pull): void {
  const { reviews, inline, file, summary } = harness.world.comments(pull);
  expect({ reviews, inline, file, summary }).toEqual({ reviews: [], inline: [], file: [], summary: [] });
}

test("the label kodiai:review asks for a review against any policy", async () => {
  const pull = await open({ title: "[no-review] Back up", draft: true });
  await harness.settled(pull);
  await harness.world.label(pull, "bug");
  expect(await harness.settled(pull)).toMatchObject({ outcome: "skipped: the pull request is a draft" });
  expectNothingSaid(pull);

  await harness.world.label(pull, "kodiai:review");
  await harness.settled(pull);
  expect(said(harness.world, pull)).toHaveLength(1);
});

test("the review that waits for a pull request is not written once that is closed", async () => {
  const { world } = harness;
  world.fail({ match: { method: "GET", path: /\/pulls\/\d+\/files$/ }, status: 503 });
  const pull = await open({});
  await harness.waitsAgain(pull);

  await world.closePull(pull);
  await harness.hurry();
  expect(await harness.settled(pull)).toMatchObject({ outcome: "skipped: the pull request is closed" });
  expectNothingSaid(pull);

  await world.reopen(pull);
  await harness.settled(pull);
  expect(said(world, pull)).toHaveLength(1);
});

test("Dependabot's pull request is reviewed, also where its account has another number", async () => {
  harness.world.person("dependabot[bot]", { id: 77, type: "Bot" });
  const pull = await open({ title: "build(deps): bump undici from 7.1.0 to 8.0.0", author: "dependabot[bot]" });
  await harness.settled(pull);
  expect(summaryOf(harness.world, pull).body).toContain(
    "Announced: dependency `undici` from `7.1.0` to `8.0.0` (major).",
  );
  // Searches know an App by its name only.
  expect(summaryOf(harness.world, pull).body).not.toContain("author-tier");
});

test("a pull request from a fork that was deleted is reviewed", async () => {
  const pull = await open({ fork: "deleted" });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(said(harness.world, pull)).toHaveLength(1);
});
