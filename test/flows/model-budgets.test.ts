// What the model may cost: the ceilings of repository, operator and people without write access,
// over many reviews.
import { afterEach, beforeEach, expect, test } from "vitest";
import { jobKey, type Repo, type ReviewJob } from "../../src/domain/job.ts";
import type { Author } from "../../src/domain/pull-request.ts";
import type { Permissions } from "../../src/ports/conversation.ts";
import type { Queue } from "../../src/ports.ts";
import { storedQueue } from "../../src/store/queue/queue.ts";
import { accessFor, openQuestions } from "../../src/wire/models.ts";
import { BACKUP } from "../app/change-builders.ts";
import { aRepo } from "../builders/pull-request.ts";
import { REPO } from "../fakes/pull-requests.ts";
import { reports, type ScriptedModel, scriptedModel } from "../fakes/scripted-model.ts";
import { type FlowPull, openReviewFlow, type ReviewFlow } from "./review-flow.ts";

const HOUR_MS = 3_600_000;
const OTHER: Repo = aRepo({ ...REPO, id: 1022, name: "skin" });
const FILES = { "ops/backup.py": BACKUP };
/** USD 0.40 a question. */
const DEAR = { input: 150_000, output: 10_000 };
const LEAST = { ofRepository: 100, hasCapacity: true };

let flow: ReviewFlow;
let queue: Queue;
/** The clock is so much ahead. */
let aheadMs = 0;
beforeEach(async () => {
  aheadMs = 0;
  flow = await openReviewFlow(() => Date.now() + aheadMs);
  queue = storedQueue(flow.db);
});
afterEach(() => flow.close());

const person = (login: string, id = 1): Author => ({ login, id, type: "User", association: "NONE" });
const permissions: Permissions = { of: async (_repo, { login }) => (login === "wren" ? "write" : "read") };
/** From a fork, by somebody who may not write. */
const fork = (login: string, config?: string, title = "Back up") =>
  flow.open(
    { files: FILES, ...(config === undefined ? {} : { config }) },
    { title, author: person(login), head: { ref: "topic", sha: "a".repeat(40), repo: `${login}/player` } },
  );
/** A branch of the repository itself. */
const own = (config?: string) =>
  flow.open(
    { files: FILES, ...(config === undefined ? {} : { config }) },
    { author: person("mona"), head: { ref: "topic", sha: "b".repeat(40), repo: "acme/player" } },
  );

interface Limits {
  readonly usdPerMonth?: number;
  readonly repositoryPercent?: number;
}

/** A job of the pull request, held and asking by `model` as in the server; returns the summary. */
async function read(
  pull: FlowPull,
  { model }: Pick<ScriptedModel, "model">,
  { usdPerMonth, repositoryPercent }: Limits = {},
  more: Partial<ReviewJob> = {},
): Promise<string> {
  const job = flow.job(pull, more);
  await queue.add(job, 0);
  const lease = await queue.lease(LEAST);
  if (lease?.job.key !== job.key) throw new Error("the job cannot be leased");
  const asking = {
    model,
    usdPerMonth: usdPerMonth ?? null,
    repositoryPercent: repositoryPercent ?? 100,
    questions: openQuestions(() => {}),
  };
  const access = accessFor(asking, lease, flow.records.spending);
  await flow.review(pull, { access, permissions }, more);
  await queue.end(lease, { state: "done", outcome: "posted" });
  return pull.posted.summaries[0] ?? "";
}

const spend = (usd: number, repo: Pick<Repo, "host" | "id"> = REPO) =>
  flow.records.spending.record(repo, Date.now(), "review", {
    ...{ inputTokens: 1, cachedTokens: 0, outputTokens: 1, usd, ms: 1, requests: 1 },
  });
const calm = (tokens?: typeof DEAR) => scriptedModel(reports(), tokens === undefined ? {} : { tokens });
const elsewhere = (number: number) => ({ repo: OTHER, key: jobKey(OTHER, number) });
const inlineOf = ({ posted }: FlowPull) =>
  posted.reviews.flatMap(({ comments }) => comments.map(({ path, line }) => `${path}:${line}`));

test("what other repositories spent counts for the operator's ceiling, and the reason is said [T24]", async () => {
  const model = calm();
  await spend(20, OTHER);
  const pull = own();
  expect(await read(pull, model, { usdPerMonth: 20 })).toContain(
    "- `model`: the operator's budget of USD 20 for all repositories is used up this month: rules and memory only",
  );
  expect(model.asked).toEqual([]);
  expect(inlineOf(pull)).toEqual(["ops/backup.py:3"]);
});

test("the footer shows the cost of the month once most of its budget is spent", async () => {
  const footer = () => read(own(), calm(), { usdPerMonth: 200 });
  await spend(30);
  expect(await footer()).not.toContain("this month");
  await spend(11);
  expect(await footer()).toMatch(/USD 41\.\d\d of 50 this month\. Reviewed \[/);
  await spend(150, OTHER);
  expect(await footer()).toMatch(/USD 191\.\d\d of 200 this month, of all repositories\. Reviewed \[/);
});

test("strangers' forks, however many and however long what they write, spend a tenth of the month and one question at most [T24]", async () => {
  const model = calm(DEAR);
  const pulls = Array.from({ length: 20 }, (_, number) =>
    flow.open(
      { files: { ...FILES, "docs/notes.md": "And so on. ".repeat(10_000) } },
      {
        author: person(`stranger${number}`, number + 1),
        body: "Please look at all of this. ".repeat(number === 0 ? 37_000 : 1_000),
        head: { ref: "topic", sha: "c".repeat(40), repo: `stranger${number}/player` },
      },
    ),
  );
  const reported: string[] = [];
  for (const pull of pulls) reported.push(await read(pull, model));
  const ofStrangers = model.asked.length;
  expect(ofStrangers).toBeGreaterThan(8);
  expect((await flow.records.spending.usage(REPO, 0)).spent).toBeLessThanOrEqual(5 + 0.4);
  const without = reported.filter((text) =>
    text.includes(
      "- `model`: this month's budget of USD 5 for people without write access (`review.budget.outsiders`) is used up: rules and memory only",
    ),
  );
  expect(without.length).toBeGreaterThanOrEqual(pulls.length - ofStrangers);
  // Rules cost nothing.
  for (const pull of pulls) expect(inlineOf(pull)).toEqual(["ops/backup.py:3"]);
  // People with write access have the rest, for a stranger's change too.
  expect(await read(own(), model)).not.toContain("`model`");
  expect(model.asked.length).toBeGreaterThan(ofStrangers);
  const wren = { explicit: true, askedBy: { id: 7, login: "wren" } } as const;
  expect(await read(pulls.at(-1) as FlowPull, model, {}, wren)).not.toContain("is used up");
});

test("a pull request of people without write access is read by the model three times in 24 hours, over pushes [T24]", async () => {
  const model = calm();
  let pull = fork("stranger");
  const push = async (more: Partial<ReviewJob> = {}) => {
    pull = flow.push(pull, { ...FILES, "src/more.py": `${BACKUP}# ${model.asked.length}\n` });
    return read(pull, model, {}, more);
  };
  await read(pull, model);
  for (const _ of [2, 3]) await push();
  const ofThree = model.asked.length;
  expect(ofThree).toBeGreaterThanOrEqual(3);
  const usedUp =
    "- `model`: a pull request gets 3 reviews by the model in 24 hours for people without write access (`review.budget.outsiders`), used up by now: rules and memory only";
  expect(await push()).toContain(usedUp);
  // Who orders it does not matter as long as they may not write.
  const order = { explicit: true, askedBy: { id: 1, login: "stranger" } } as const;
  expect(await read(pull, model, {}, order)).toContain(usedUp);
  expect(model.asked).toHaveLength(ofThree);
  expect(inlineOf(pull)).toContain("ops/backup.py:3");
  // Their other pull requests have their own three.
  await read(fork("stranger"), model);
  expect(model.asked.length).toBeGreaterThan(ofThree);
  const before = model.asked.length;
  aheadMs = 24 * HOUR_MS + 60_000;
  await push();
  expect(model.asked.length).toBeGreaterThan(before);
});

test("one repository uses its share of the operator's ceiling and leaves the rest to the others, and the reason is said [T24]", async () => {
  const model = calm();
  const limits = { usdPerMonth: 20, repositoryPercent: 50 };
  await spend(10);
  expect(await read(own(), model, limits)).toContain(
    "- `model`: this repository's share of USD 10 of the operator's budget is used up this month: rules and memory only",
  );
  expect(model.asked).toEqual([]);
  const pull = own();
  expect(await read(pull, model, limits, elsewhere(pull.number))).not.toContain("is used up");
  expect(model.asked.length).toBeGreaterThan(0);
});

test("reviews that run at the same time spend no more than the budget together, and what is set aside is said [T24]", async () => {
  const dear = calm(DEAR);
  // Nobody is answered before all have asked whether they may.
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const model = {
    ...dear.model,
    ask: async <T>(request: Parameters<typeof dear.model.ask<T>>[0]) => {
      await held;
      return dear.model.ask(request);
    },
  };
  const pulls = Array.from({ length: 6 }, () => own("review: {budget: {usdPerReview: 0.5}}\n"));
  let ended = 0;
  const all = Promise.all(
    pulls.map(async (pull) => {
      const summary = await read(pull, { model } as Pick<ScriptedModel, "model">, { usdPerMonth: 1 });
      ended += 1;
      return summary;
    }),
  );
  await expect.poll(() => ended).toBe(4);
  letGo();
  const reported = await all;
  const { spent } = await flow.records.spending.usage(null, 0);
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(1);
  expect(
    reported.filter((text) =>
      text.includes(
        "what is left of the operator's budget of USD 1 for all repositories is set aside for reviews that run at this moment: rules and memory only",
      ),
    ).length,
  ).toBeGreaterThan(0);
  for (const pull of pulls) expect(inlineOf(pull)).toEqual(["ops/backup.py:3"]);
  expect(await flow.db.all("SELECT * FROM bookings")).toEqual([]);
});

const UNPRICED = { perMillion: null };

test.each(["usdPerReview: 0.5", "usdPerMonth: 5", "outsiders: {percentOfMonth: 20}"])(
  "a repository's budget of %s asks no model without a known price, and the summary says which variable to set [T24]",
  async (budget) => {
    const model = scriptedModel(reports(), UNPRICED);
    const pull = own(`review: {budget: {${budget}}}\n`);
    const summary = await read(pull, model);
    expect(model.asked).toEqual([]);
    expect(summary).toContain("no price of scripted-large and scripted-small is known");
    expect(summary).toContain("KODIAI_MODEL_PRICE");
    expect(inlineOf(pull)).toEqual(["ops/backup.py:3"]);
    // A switched-off model needs no price, and neither does one whose small model costs nothing and
    // whose main one does.
    expect(await read(own(`review: {model: off, budget: {${budget}}}\n`), model)).not.toContain("no price");
  },
);

test("a price of one of two models is not enough for a budget [T24]", async () => {
  const scripted = scriptedModel(reports());
  const price = scripted.model.price;
  const model = {
    ...scripted.model,
    price: (tier: "main" | "small", input: number, output: number) =>
      tier === "small" ? null : price(tier, input, output),
  };
  const summary = await read(own("review: {budget: {usdPerMonth: 5}}\n"), { model });
  expect(scripted.asked).toEqual([]);
  expect(summary).toContain("no price of scripted-small is known");
});

test("the operator's budget asks no model without a known price [T24]", async () => {
  const model = scriptedModel(reports(), UNPRICED);
  expect(await read(own(), model, { usdPerMonth: 20 })).toContain(
    "no price of scripted-large and scripted-small is known",
  );
  expect(model.asked).toEqual([]);
});

test.each([
  ["no known price", null],
  ["the price 0", { input: 0, output: 0 }],
])(
  "limits by count hold for a model with %s, over forks and pushes, and its money does not [T24]",
  async (_, perMillion) => {
    const model = scriptedModel(reports(), { perMillion });
    const config = "review: {budget: {outsiders: {reviewsPerDay: 1}}}\n";
    await spend(60);
    let pull = fork("stranger", config);
    await read(pull, model);
    const first = model.asked.length;
    expect(first).toBeGreaterThan(0);
    for (let at = 0; at < 4; at += 1) {
      pull = flow.push(pull, { ...FILES, "src/more.py": `${BACKUP}# ${at}\n` });
      expect(await read(pull, model)).toContain("a pull request gets 1 review by the model in 24 hours");
    }
    expect(model.asked).toHaveLength(first);
    await read(own(), model);
    expect(model.asked.length).toBeGreaterThan(first);
  },
);
