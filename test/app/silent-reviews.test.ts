// A review with nothing to say over HTTP: a reaction, and no comment. The cases are in
// test/flows/silent-reviews.test.ts.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, said, writes } from "./change-builders.ts";

const REACTIONS = /\/issues\/\d+\/reactions/;

let harness: Harness;
let repository: Repository;
let opened = 0;

beforeAll(async () => {
  harness = await openHarness();
  repository = await harness.world.repository("acme", "shop", { files: { "a.py": "A = 1\n" } });
  await openClean();
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

async function openClean(): Promise<Pull> {
  opened += 1;
  const files = { [`src/retry_${opened}.py`]: "RETRIES = 3\n" };
  const pull = await harness.world.pullRequest(repository, { title: "Retry", files });
  await harness.settled(pull);
  return pull;
}

test("a clean pull request gets a 👍 and nothing else, which a push with a finding takes back", async () => {
  const { world } = harness;
  const before = writes(world).length;
  const pull = await openClean();
  expect(writes(world).slice(before)).toEqual([expect.stringMatching(REACTIONS)]);
  expect(world.comments(pull)).toMatchObject({ reviews: [], inline: [], file: [], summary: [] });
  expect(pull.reactions).toMatchObject([{ author: { login: world.bot.login }, content: "+1" }]);

  await world.push(pull, { "ops/backup.py": BACKUP });
  await harness.settled(pull);
  expect(said(world, pull)).toHaveLength(1);
  expect(pull.reactions).toEqual([]);

  // The finding is fixed, and said to be; the push after that has nothing to say.
  await world.push(pull, { "ops/backup.py": "BACKUPS = 3\n" });
  await harness.settled(pull);
  await world.push(pull, { "ops/backup.py": "BACKUPS = 4\n" });
  await harness.settled(pull);
  const [summary, ...more] = world.comments(pull).summary;
  expect([summary?.body, more]).toEqual([
    expect.stringMatching(/^\*\*Nothing open, 1 perhaps addressed\*\*\n\n\*\*No rule fired\*\*/),
    [],
  ]);
});

test.each([403, 404, 422, 500, "lost"] as const)("a reaction that ends with %s is no error", async (how) => {
  const { world } = harness;
  const match = { method: "POST", path: REACTIONS };
  const body = { message: "Resource not accessible by integration" };
  world.fail(how === "lost" ? { match, drop: true, afterApplying: true } : { match, status: how, body });
  const pull = await openClean();
  expect(harness.jobs(pull)).toMatchObject([{ state: "done", attempt: 1 }]);
  expect(world.comments(pull).summary).toEqual([]);
  expect(pull.reactions).toHaveLength(how === "lost" ? 1 : 0);
});
