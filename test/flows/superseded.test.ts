// Somebody pushes, closes or locks, right before any step of a review: nothing is said about what
// is over, and what is there now is reviewed once. Through reception, queue, flows and store;
// test/app/superseded.test.ts shows that the same works over HTTP.
import { afterAll, beforeAll, expect, test } from "vitest";
import { BACKUP, BALANCE, said } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";

let harness: FlowHarness;
let repository: Repository;
beforeAll(async () => {
  harness = await openFlow();
  repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
});
afterAll(() => harness.close());

/** Before which call of a port; each is met once. */
const MOMENTS = [
  "pulls.changes",
  "pulls.ownComments",
  "reviews.head",
  "reviews.putSummary",
  "reviews.postedFindings",
  "reviews.postReview",
];

const FILES = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };

/** Opens a pull request to which something happens meanwhile. */
async function opened(call: string, happens: (pull: Pull) => void | Promise<void>): Promise<Pull> {
  const pull = await harness.world.pullRequest(repository, { title: "Back up", files: FILES, draft: true });
  await harness.settled(pull);
  let hasHappened = false;
  harness.before(call, () => {
    hasHappened = true;
    return happens(pull);
  });
  await harness.world.readyForReview(pull);
  await harness.settled(pull);
  expect(hasHappened).toBe(true);
  return pull;
}

test.each(MOMENTS)("a push right before %s: the new head alone is reviewed, once [R17][T8]", async (call) => {
  const pull = await opened(call, (one) => harness.world.push(one, { "ops/backup.py": null }));
  const { reviews, inline } = harness.world.comments(pull);
  expect(reviews.filter(({ body }) => body !== "").map(({ commitId }) => commitId)).toEqual([pull.headSha]);
  expect(inline.map(({ commitId }) => commitId)).toEqual([pull.headSha]);
  expect(said(harness.world, pull)).toEqual(["src/balance.py:5 tls-verify-disabled"]);
});

test.each(MOMENTS)("closed right before %s: no review is posted [R18]", async (call) => {
  const pull = await opened(call, (one) => harness.world.closePull(one));
  expect(harness.world.comments(pull).reviews).toEqual([]);
  expect(harness.jobs(pull).at(-1)).toMatchObject({ state: "done", outcome: expect.stringMatching(/closed/) });
});

test.each(MOMENTS)("locked right before %s: no review is posted [R18]", async (call) => {
  const pull = await opened(call, (one) => harness.world.lock(one));
  expect(harness.world.comments(pull).reviews).toEqual([]);
  expect(harness.jobs(pull).at(-1)).toMatchObject({ state: "done", outcome: expect.stringMatching(/locked/) });
});
