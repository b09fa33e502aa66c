// What nobody told us of: deliveries that were lost, in any order, and while the server was away.
// Every open pull request ends with one review of its last head.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BALANCE, summaryOf } from "./change-builders.ts";

const TIMES = { everyMs: 400, youngMs: 0 };

let harness: Harness;
let shop: Repository;
async function open(): Promise<void> {
  harness = await openHarness({ app: { missed: TIMES } });
  shop = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  // From here on the repository is known: what is opened there is owed a review.
  await until("the repository is looked at", () => asked("/repos/acme/shop/pulls") > 1);
}
const asked = (path: string) => harness.world.requests.filter((one) => one.path === path && one.status === 200).length;

const reviewsOf = (pull: Pull) => harness.world.comments(pull).reviews.map(({ commitId }) => commitId);
const isCovered = (pull: Pull) => reviewsOf(pull).includes(pull.headSha);
async function covered(pulls: readonly Pull[]): Promise<void> {
  await until("each head has its review", () => pulls.every(isCovered));
  for (const pull of pulls) {
    expect(reviewsOf(pull).filter((sha) => sha === pull.headSha)).toHaveLength(1);
    summaryOf(harness.world, pull);
  }
  expect(harness.world.violations).toEqual([]);
  expect(harness.world.unfaithful.filter((one) => /hook|installation\/repositories/.test(one))).toEqual([]);
}
const files = (n: number) => ({ [`src/balance_${n}.py`]: BALANCE });

describe("deliveries that do not arrive", () => {
  beforeEach(open);
  afterEach(() => harness.close());

  test("while the server is off for 50 events, all of them are made up for when it is back [R5]", async () => {
    const { world } = harness;
    const pulls: Pull[] = [];
    await harness.restart({}, async () => {
      for (let n = 0; n < 10; n += 1) {
        const pull = await world.pullRequest(shop, { title: `Balance ${n}`, files: files(n) });
        for (const round of [1, 2]) await world.push(pull, { "README.md": `# Shop ${n} ${round}\n` });
        await world.closePull(pull);
        await world.reopen(pull);
        pulls.push(pull);
      }
    });
    await covered(pulls);
    await until("the log tells it", () =>
      harness.log.some((line) => line.includes("pull requests with missed events")),
    );
    // One review each: of the last head.
    for (const pull of pulls) expect(reviewsOf(pull)).toEqual([pull.headSha]);
  });

  test("a command whose delivery was lost is answered once, and not again when the delivery arrives late [R5]", async () => {
    const { world } = harness;
    world.person("otto", { permission: "admin", association: "OWNER" });
    const pull = await world.pullRequest(shop, { title: "Balance", files: files(1) });
    await harness.settled(pull);
    const [finding] = world.comments(pull).inline;
    world.setFate(() => "lost");
    const before = world.deliveries.length;
    await world.comment(pull, "otto", "Nothing for Kodiai.");
    const edited = await world.comment(pull, "otto", "Nothing either.");
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await world.editComment(pull, edited, "/kodiai config");
    await world.comment(pull, "otto", "/kodiai help");
    await world.reply(pull, "otto", finding?.id ?? 0, "/kodiai why");
    const answers = () => {
      const { summary: _, ...shown } = world.comments(pull);
      return Object.values(shown)
        .flat()
        .flatMap((one) => ("body" in one && !one.body.startsWith("/kodiai") ? [one.body] : []));
    };
    const commands = () => harness.rows("SELECT key, state FROM jobs WHERE lane = 'command' ORDER BY id");
    await until("both are answered", () => commands().filter(({ state }) => state === "done").length === 2);
    const said = answers();
    world.setFate(null);
    for (const { event, payload, action } of world.deliveries.slice(before))
      if (action === "created") await world.deliver(event, payload);
    const looks = asked("/repos/acme/shop/issues/comments");
    await until("it looks again", () => asked("/repos/acme/shop/issues/comments") > looks + 1);
    expect(commands().map(({ state }) => state)).toEqual(["done", "done"]);
    expect(answers()).toEqual(said);
    expect(world.violations).toEqual([]);
  });

  test("nobody asks for comments where no pull request changed", async () => {
    const { world } = harness;
    const looks = asked("/repos/acme/shop/pulls");
    await until("it looks again", () => asked("/repos/acme/shop/pulls") > looks + 2);
    expect(asked("/repos/acme/shop/issues/comments")).toBe(0);
    expect(world.violations).toEqual([]);
  });

  test("pull requests that were open before Kodiai came wait until they change", async () => {
    const { world } = harness;
    const older = await world.repository("acme", "older", { files: { "README.md": "# Older\n" } });
    // Long before the first sweep.
    const old = { createdAt: "2026-01-02T03:04:05Z" };
    const [left, pushed] = [await silent(older, 1, old), await silent(older, 2, old)];
    const before = asked("/repos/acme/older/pulls");
    await until("a sweep finds them", () => asked("/repos/acme/older/pulls") > before + 1);
    await world.push(pushed, { "README.md": "# Newer\n" }, { announce: false });
    await covered([pushed]);
    expect(reviewsOf(left)).toEqual([]);
  });

  test("requests stop where the rest of the hour is left to reviews [R5]", async () => {
    const { world } = harness;
    const headers = { "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "900", "x-ratelimit-reset": "9999999999" };
    world.fail({ match: { path: "/installation/repositories" }, onlyHeaders: true, headers, times: 10_000 });
    const before = asked("/repos/acme/shop/pulls");
    await until("it is said", () => harness.log.some((line) => line.includes("reserved for reviews")));
    const after = asked("/repos/acme/shop/pulls");
    await until("it is tried again", () => asked("/installation/repositories") > 8);
    expect(after - before).toBeLessThanOrEqual(1);
    expect(asked("/repos/acme/shop/pulls")).toBe(after);
  });
});

describe("a sweep that runs without waiting ten minutes", () => {
  const failed = () => harness.log.filter((line) => line.includes("open pull requests could not be checked")).length;
  const missed = { everyMs: 600_000, againMs: 50 };
  /** When the last whole look began, once it is over; 0 before the first. */
  const looked = () => Number(harness.rows("SELECT at FROM moments WHERE name LIKE 'round %'")[0]?.at ?? 0);
  beforeEach(async () => {
    harness = await openHarness({ app: { missed } });
    await until("the first look is over", () => looked() > 0);
    shop = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const first = looked();
    await harness.world.install("acme", [shop]);
    await until("it is looked at because the App was installed there", () => looked() > first);
    // On a busy machine it has been more than once.
    expect(asked("/repos/acme/shop/pulls")).toBeGreaterThan(0);
  });
  afterEach(() => harness.close());

  test("a repository that the App comes to reach is looked at at once [R5]", async () => {
    const { world } = harness;
    await world.reach(shop, false);
    const pull = await silent(shop, 1);
    await world.reach(shop, true);
    await covered([pull]);
  });

  test("what was given up while the App was suspended is reviewed as soon as it no longer is [R5]", async () => {
    const { world } = harness;
    let isSuspended = true;
    const body = { message: "This installation has been suspended" };
    world.fail({ match: { path: /\/pulls\/\d+$/ }, status: 403, body, times: 1_000, chance: () => isSuspended });
    const pull = await world.pullRequest(shop, { title: "Balance", files: files(1) });
    expect(await harness.settled(pull)).toMatchObject({
      state: "parked",
      outcome: expect.stringMatching(/^suspended: /),
    });
    // On a busy machine it has been more than once; none of those looks could review it.
    const before = asked("/repos/acme/shop/pulls");
    isSuspended = false;
    const installation = { id: 1, account: { login: "acme", id: 1, type: "Organization" }, suspended_at: null };
    await world.deliver("installation", { action: "unsuspend", installation });
    await covered([pull]);
    expect(asked("/repos/acme/shop/pulls")).toBeGreaterThan(before);
  });

  test("a look that fails is repeated after a while that doubles, until one does not [R5]", async () => {
    const { world } = harness;
    world.fail({ match: { path: "/app/installations" }, status: 502, times: 1_000, chance: () => failed() < 4 });
    const began = Date.now();
    await world.reach(shop, true);
    await until("it failed", () => failed() === 1);
    const pull = await silent(shop, 1);
    await covered([pull]);
    expect(failed()).toBe(4);
    expect(Date.now() - began).toBeGreaterThanOrEqual((1 + 2 + 4 + 8) * 50);
  });

  test("so is one during which a repository could not be looked at", async () => {
    const { world } = harness;
    world.fail({ match: { path: "/repos/acme/shop/pulls" }, status: 502, times: 2 });
    const pull = await silent(shop, 1);
    await world.reach(shop, true);
    await covered([pull]);
  });
});

/** Opened, and GitHub sends nothing about it. */
async function silent(repository: Repository, n: number, more: { readonly createdAt?: string } = {}): Promise<Pull> {
  return harness.world.pullRequest(repository, { title: `Balance ${n}`, files: files(n), announce: false, ...more });
}
