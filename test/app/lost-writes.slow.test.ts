// GitHub takes what is written and its answer is lost, in every way there is: each thing stands
// there once.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, BALANCE, said, summaryOf } from "./change-builders.ts";

/** The long version: NIGHTLY=1. */
const REVIEWS = process.env.NIGHTLY === undefined ? 40 : 500;
const LOST = 0.3;
const SETTLED_MS = 600;
const FILES = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };

let harness: Harness;
let repository: Repository;
beforeAll(async () => {
  // What was written shows after a while only; whoever looks at once finds nothing.
  const waits = { settledMs: SETTLED_MS, deadlineMs: 1_500 };
  harness = await openHarness({ lagMs: 80, app: { waits, workers: 4 } });
  repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

/** The same numbers each time. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const open = (title: string): Promise<Pull> => harness.world.pullRequest(repository, { title, files: FILES });

test(`${REVIEWS} reviews of whose writes a third loses its answer are ${REVIEWS} reviews [R6]`, async () => {
  const roll = seededRandom(20_261_122);
  const ways = [
    { status: 502, afterApplying: true },
    { drop: true, afterApplying: true },
    { cut: true },
    { status: 504, afterApplying: true, late: 3_000 },
  ];
  let lost = 0;
  for (const [index, way] of ways.entries()) {
    // One way after the other is asked: each takes its part of what the ways before it left.
    const part = LOST / ways.length / (1 - (LOST * index) / ways.length);
    const chance = () => {
      const isLost = roll() < part;
      if (isLost) lost++;
      return isLost;
    };
    const path = /\/(?:reviews|comments|replies)$/;
    harness.world.fail({ match: { method: "POST", path }, ...way, chance, times: Number.POSITIVE_INFINITY });
  }
  const pulls: Pull[] = [];
  for (let at = 0; at < REVIEWS; at += 10) {
    const some: Pull[] = [];
    while (some.length < Math.min(10, REVIEWS - at)) some.push(await open(`Change ${at + some.length}`));
    for (const pull of some) await harness.settled(pull);
    pulls.push(...some);
  }
  expect(lost).toBeGreaterThan(REVIEWS * LOST);
  for (const pull of pulls) {
    expect(harness.world.comments(pull).reviews).toHaveLength(1);
    expect(said(harness.world, pull)).toHaveLength(2);
    expect(summaryOf(harness.world, pull).body).toMatch(/^\*\*2 \w+ findings open\*\*/);
  }
  expect(harness.rows("SELECT * FROM intents WHERE state = 'sent'")).toEqual([]);
  expect(harness.rows("SELECT json_extract(wanted, '$.kind') AS kind, count(*) AS n FROM intents GROUP BY 1")).toEqual([
    { kind: "review", n: REVIEWS },
    { kind: "summary", n: REVIEWS },
  ]);
}, 1_200_000);

test("lists that break off are no proof that nothing was posted [R6]", async () => {
  harness = await fresh();
  const { world } = harness;
  const path = /\/issues\/\d+\/comments$/;
  let isOver = false;
  const isPosted = () => world.requests.some((one) => one.method === "POST" && path.test(one.path));
  const chance = () => isPosted() && !isOver;
  world.fail({ match: { method: "POST", path }, status: 502, afterApplying: true });
  world.fail({ match: { method: "GET", path }, breaks: true, times: Number.POSITIVE_INFINITY, chance });
  const pull = await open("Back up");
  await harness.waitsAgain(pull);
  for (let round = 0; round < 2; round++) {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    await harness.hurry();
    await harness.waitsAgain(pull);
  }
  isOver = true;
  await harness.hurry();
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(world.comments(pull).summary).toHaveLength(1);
});

test("a review of an earlier head is not taken for one whose answer was lost [T26]", async () => {
  harness = await fresh();
  const pull = await open("Back up");
  await harness.settled(pull);
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502 });
  await harness.world.push(pull, { "ops/restore.py": BACKUP });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  const [first, second, ...others] = harness.world.comments(pull).reviews;
  expect(first?.commitId).not.toBe(pull.headSha);
  expect(second?.commitId).toBe(pull.headSha);
  expect(others).toEqual([]);
});

test("what never arrived is sent again, once it is certain that it will not arrive any more [R6]", async () => {
  harness = await fresh();
  harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502 });
  const pull = await open("Back up");
  const { runAt } = await harness.waitsAgain(pull);
  const [intent] = harness.rows("SELECT sent_at, state FROM intents WHERE state = 'sent'");
  expect(runAt).toBeGreaterThanOrEqual(Number(intent?.sent_at) + SETTLED_MS - 50);
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(harness.world.comments(pull).reviews).toHaveLength(1);
});

test("a review is delivered after an outage of GitHub, and nothing is read or written again for it [R7]", async () => {
  const pull = await (async () => {
    harness.world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 503, times: 3 });
    return open("Through an outage");
  })();
  await harness.waitsAgain(pull);
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    await harness.hurry();
    if (harness.jobs(pull).at(-1)?.state === "done") break;
  }
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(harness.world.comments(pull).reviews).toHaveLength(1);
  const listed = harness.world.requests.filter(({ path }) => path === `/repos/acme/shop/pulls/${pull.number}/files`);
  expect(listed).toHaveLength(1);
});

test("copied or forged markers keep nothing from being posted [T26]", async () => {
  const { world } = harness;
  const genuine = await open("The first");
  await harness.settled(genuine);
  const [review] = world.comments(genuine).reviews;
  const [inline] = world.comments(genuine).inline;
  const copied = [review?.body, summaryOf(world, genuine).body, inline?.body].join("\n");
  const invented = `<!-- kodiai:summary -->\n<!-- kodiai:proof ${"0".repeat(32)} -->`;
  const victim = await world.pullRequest(repository, { title: "The second", files: FILES, draft: true });
  for (const body of [copied, invented]) await world.comment(victim, "mallory", body);
  // And the answer to the real one is lost as well.
  world.fail({ match: { method: "POST", path: /\/reviews$/ }, status: 502, afterApplying: true });
  await world.readyForReview(victim);
  expect(await harness.settled(victim)).toMatchObject({ state: "done" });
  expect(world.comments(victim).reviews.filter(({ author }) => author === world.bot.login)).toHaveLength(1);
  expect(said(world, victim)).toHaveLength(2);
  expect(summaryOf(world, victim).body).toMatch(/^\*\*2 \w+ findings open\*\*/);
});

/** Without the trouble that was planned before. */
async function fresh(): Promise<Harness> {
  await harness.close();
  const next = await openHarness({ lagMs: 80, app: { waits: { settledMs: SETTLED_MS, deadlineMs: 1_500 } } });
  repository = await next.world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  return next;
}
