// GraphQL says 200 where REST would refuse. What GitHub asks us to wait for is waited for, and
// nothing that people did is lost.
import { afterEach, expect, test } from "vitest";
import { type RefusalName, refused } from "../fakes/github/refusals.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, LOGIN } from "./change-builders.ts";
import { answered } from "./conversation-helpers.ts";
import { outcome } from "./memory-assertions.ts";

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const FILE = "ops/backup.py";

/**
 * Otto, who may, has given a reason against the one finding; GraphQL refuses the first `times`
 * times.
 */
async function play(refusal: RefusalName, times = 1) {
  harness = await openHarness();
  const at = harness;
  const { world } = at;
  world.person("otto", { permission: "admin", association: "OWNER" });
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await world.pullRequest(repository, { title: "Back up", author: "mona", files: { [FILE]: BACKUP } });
  await at.settled(pull);
  world.fail(refused(refusal, { times }));
  const began = Date.now();
  const root = pull.comments[0]?.id ?? 0;
  await world.reply(pull, "otto", root, "By design: the names come from our own inventory.");
  const feedback = () =>
    at.rows("SELECT state, attempt, run_at AS runAt FROM jobs WHERE key LIKE '%feedback%' ORDER BY id").at(-1);
  await until("feedback waits", () => feedback()?.state === "waiting" && Number(feedback()?.attempt) > 0);
  const waits = Number(feedback()?.runAt) - began;
  const isClosed = () => at.rows("SELECT 1 FROM installations WHERE closed_until > 0").length > 0;
  const queries = () => world.requests.filter(({ path }) => path === "/graphql").length;
  const learnt = async () => {
    await at.hurry();
    await answered(at);
    return outcome(at, pull, FILE);
  };
  return { harness: at, world, pull, root, waits, isClosed, queries, learnt };
}

test.each(["graphql points used up", "graphql points too few"] as const)(
  "without points left (%s) GraphQL waits until they are back, REST goes on, and what was said is learnt",
  async (refusal) => {
    const { harness: at, world, pull, root, waits, isClosed, queries, learnt } = await play(refusal);
    expect(waits).toBeGreaterThan(880_000);
    expect(waits).toBeLessThan(1_000_000);
    expect(isClosed()).toBe(false);
    await world.push(pull, { "src/login.ts": LOGIN });
    expect(await at.settled(pull)).toMatchObject({ outcome: expect.stringMatching(/^posted /) });
    // Another job that needs GraphQL waits without asking.
    await world.reply(pull, "otto", root, "/kodiai resolve");
    await until("both wait", () => at.rows("SELECT 1 FROM jobs WHERE state = 'waiting' AND attempt > 0").length === 2);
    expect(queries()).toBe(1);
    expect(await learnt()).toMatch(/^declined .* by @otto/);
  },
);

test("a secondary limit closes the installation, as one of REST does, and what was said is learnt after it [R8]", async () => {
  const { waits, isClosed, learnt } = await play("graphql secondary limit");
  expect(waits).toBeGreaterThan(110_000);
  expect(isClosed()).toBe(true);
  expect(await learnt()).toMatch(/^declined .* by @otto/);
});

test("a query that GitHub took too long for is asked again soon, and what was said is learnt [R8]", async () => {
  const { waits, isClosed, learnt } = await play("graphql timeout");
  expect(waits).toBeLessThan(600_000);
  expect(isClosed()).toBe(false);
  expect(await learnt()).toMatch(/^declined .* by @otto/);
});
