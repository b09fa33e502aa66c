// Deliveries of one pull request in any order: one review of the last head, once all have arrived.
// test/app/missed-events.slow.test.ts has every order over HTTP.
import { afterAll, beforeAll, expect, test } from "vitest";
import { BALANCE } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { Repository } from "../fakes/github/conversation.ts";

let harness: FlowHarness;
let shop: Repository;
beforeAll(async () => {
  harness = await openFlow();
  shop = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
});
afterAll(() => harness.close());

/** Every tenth of 120. */
const ORDERS = permutations([0, 1, 2, 3, 4]).filter((_, at) => at % 10 === 7);

test.each(ORDERS.map((order) => [order]))("opened, two pushes, closed, reopened arrive as %j [R4]", async (order) => {
  const { world } = harness;
  const first = world.deliveries.length;
  const release = world.holdBack();
  const files = { "src/balance.py": BALANCE };
  const pull = await world.pullRequest(shop, { title: "Balance", files });
  for (const round of ["A", "B"]) await world.push(pull, { "README.md": `# Shop ${round}\n` });
  await world.closePull(pull);
  await world.reopen(pull);
  release();
  const sent = world.deliveries.slice(first);
  expect(sent).toHaveLength(5);
  for (const at of order) {
    await world.deliver("pull_request", sent[at]?.payload);
    // Now and then a review ends before the next delivery arrives.
    if (at % 2 === 0) await harness.answered();
  }
  await harness.settled(pull);
  expect(world.comments(pull).reviews.map(({ commitId }) => commitId)).toEqual([pull.headSha]);
});

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) => permutations(items.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}
