// What takes long of missed events: real waits, and deliveries in any order, repeated and lost.
// Every open pull request ends with one review of its last head.
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import type { Fate } from "../fakes/github/hooks.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BALANCE, summaryOf } from "./change-builders.ts";

const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY) console.warn("skipped: 116 of 120 orders and 996 of 1,000 shuffles; NIGHTLY=1 runs all");
/** Lives that happen beside each other. */
const AT_A_TIME = 25;
const TIMES = { everyMs: 150, youngMs: 0 };

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

describe("what nobody told us of, and GitHub shows later", () => {
  beforeEach(open);
  afterEach(() => harness.close());

  test("of all that happens a third is lost, and every last head gets its review [R5]", async () => {
    const { world } = harness;
    const fates = fc.sample(
      fc.oneof(
        { weight: 7, arbitrary: fc.constant<Fate>("sent") },
        { weight: 3, arbitrary: fc.constant<Fate>("lost") },
      ),
      { numRuns: 400, seed: 19 },
    );
    let missed = 0;
    world.setFate(() => {
      const fate = fates.pop() ?? "sent";
      if (fate !== "sent") missed += 1;
      return fate;
    });
    const pulls: Pull[] = [];
    for (let n = 0; n < 10; n += 1) {
      const pull = await world.pullRequest(shop, { title: `Balance ${n}`, files: files(n) });
      if (n % 2 === 0) await world.push(pull, { "README.md": `# Shop ${n}\n` });
      pulls.push(pull);
    }
    expect(missed).toBeGreaterThan(2);
    await covered(pulls);
  });

  const OUTAGES = [
    ["while the App was suspended", /^\/app\/installations\/\d+\/access_tokens$/, 403],
    ["while its repository could not be read", /^\/repos\/acme\/bank\/pulls$/, 502],
  ] as const;
  test.each(OUTAGES)("a pull request opened before its repository was first read, %s", async (_when, path, status) => {
    const { world } = harness;
    let isOut = true;
    const body = { message: "This installation has been suspended" };
    world.fail({ match: { path }, status, body, times: 100_000, chance: () => isOut });
    const bank = await world.repository("acme", "bank", { files: { "README.md": "# Bank\n" } });
    const pull = await silent(bank, 1);
    // Sweeps go on meanwhile. GitHub gives times in whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    isOut = false;
    await covered([pull]);
  });

  test("pull requests that are older than an installation wait, although Kodiai ran when they were opened", async () => {
    const { world } = harness;
    let installedAt: string | null = null;
    const shown: unknown[] = [];
    world.fail({
      match: { path: /^\/app\/installations$/ },
      status: 200,
      body: shown,
      times: 100_000,
      chance: () => installedAt === null || shown.length > 0,
    });
    const bank = await world.repository("acme", "bank", { files: { "README.md": "# Bank\n" } });
    const older = await silent(bank, 1);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    installedAt = new Date().toISOString();
    shown.push({ id: world.installations.get("acme"), created_at: installedAt, suspended_at: null });
    const newer = await silent(bank, 2);
    await covered([newer]);
    expect(harness.jobs(older)).toEqual([]);
  });

  test("a draft that became ready without a word to us is reviewed [R5]", async () => {
    const { world } = harness;
    const pull = await world.pullRequest(shop, { title: "Balance", files: files(1), draft: true });
    await harness.settled(pull);
    expect(reviewsOf(pull)).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    world.setFate(() => "lost");
    await world.readyForReview(pull);
    await covered([pull]);
  });
});

/** Opened, and GitHub sends nothing about it. */
async function silent(repository: Repository, n: number, more: { readonly createdAt?: string } = {}): Promise<Pull> {
  return harness.world.pullRequest(repository, { title: `Balance ${n}`, files: files(n), announce: false, ...more });
}

describe("deliveries in any order", () => {
  beforeAll(open);
  afterAll(() => harness.close());

  /**
   * A life of five events of which nothing arrived yet. Returns what GitHub would have sent, in
   * order.
   */
  async function life(n: number): Promise<{ readonly pull: Pull; readonly sent: readonly unknown[] }> {
    const { world } = harness;
    const first = world.deliveries.length;
    world.setFate(() => "lost");
    const pull = await world.pullRequest(shop, { title: `Balance ${n}`, files: files(n), draft: true });
    pull.draft = false;
    for (const round of ["A", "B"]) await world.push(pull, { "README.md": `# Shop ${n} ${round}\n` });
    await world.closePull(pull);
    await world.reopen(pull);
    world.setFate(null);
    return { pull, sent: world.deliveries.slice(first).map(({ payload }) => payload) };
  }
  /** Lives of which deliveries arrive in these orders, all at a time. */
  async function play(n: number, orders: readonly (readonly number[])[]): Promise<void> {
    // One after the other: a life is told by what GitHub did not send meanwhile.
    const lives: { readonly life: Awaited<ReturnType<typeof life>>; readonly order: readonly number[] }[] = [];
    for (const [at, order] of orders.entries()) lives.push({ life: await life(n + at), order });
    const arriving = lives.map(async ({ life: { sent }, order }) => {
      expect(sent).toHaveLength(5);
      for (const at of order) await harness.world.deliver("pull_request", sent[at]);
    });
    await Promise.all(arriving);
    const pulls = lives.map(({ life: { pull } }) => pull);
    await covered(pulls);
    for (const pull of pulls) {
      expect(reviewsOf(pull)).toEqual([pull.headSha]);
      // Done with: a thousand open pull requests would only be listed again and again.
      pull.state = "closed";
    }
  }

  const orders = permutations([0, 1, 2, 3, 4]);
  const sample = NIGHTLY ? orders : orders.filter((_, at) => at % 30 === 7);
  test("orders of opened, two pushes, closed, reopened end in one review of the last head [R4]", async () => {
    expect(orders).toHaveLength(120);
    for (let n = 0; n < sample.length; n += AT_A_TIME) await play(n, sample.slice(n, n + AT_A_TIME));
  }, 900_000);

  const shuffles = NIGHTLY ? 1_000 : 4;
  test("shuffles with repeats and losses end in the same [R4]", async () => {
    const any = fc.array(fc.nat({ max: 4 }), { minLength: 0, maxLength: 12 });
    const orders = fc.sample(any, { numRuns: shuffles, seed: 7 });
    for (let n = 0; n < orders.length; n += AT_A_TIME) {
      // The emulator counts requests as GitHub does, and lets nobody ask 5,000 times an hour.
      if (n % 50 === 0 && n > 0) {
        await harness.close();
        await open();
      }
      await play(1_000 + n, orders.slice(n, n + AT_A_TIME));
    }
  }, 3_600_000);
});

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) => permutations(items.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}
