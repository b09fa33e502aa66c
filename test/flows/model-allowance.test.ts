import { expect, test } from "vitest";
import { defaultConfig } from "../../src/config/repo-config.ts";
import { costOf, type ModelAllowance, type ModelRequest } from "../../src/domain/model.ts";
import type { ModelCost } from "../../src/domain/retrieval.ts";
import { modelAllowance, remainingAfter, retrievalShare } from "../../src/flows/review/model-allowance.ts";
import type { Model } from "../../src/ports/model.ts";
import { UNLIMITED } from "../../src/ports/model.ts";
import { REPO } from "../fakes/pull-requests.ts";
import { scriptedModel } from "../fakes/scripted-model.ts";

const { model, delimiter } = scriptedModel(() => ({}));
const QUESTION: ModelRequest<unknown> = {
  ...{ purpose: "review", tier: "main", effort: "low", maxOutputTokens: 10, system: [], user: [] },
  shape: { name: "anything", jsonSchema: {}, check: (value) => ({ ok: true, value }) },
};
const allowance = (usd: number): ModelAllowance => ({ model, delimiter, usd });
const spent = (usd: number | null): ModelCost => ({
  purpose: "rerank",
  questions: 1,
  inputTokens: 1_000,
  outputTokens: 100,
  usd,
});
const UNKNOWN_PERSON: ModelAllowance = { model: null, reason: "this month's budget of USD 50 is used up" };

test("memory may spend a quarter of a review's money, and ends when the review does", () => {
  expect(retrievalShare(allowance(1))).toMatchObject({ model: { names: model.names }, usd: 0.25 });
  expect(retrievalShare(allowance(Number.POSITIVE_INFINITY))).toMatchObject({ usd: Number.POSITIVE_INFINITY });
  expect(retrievalShare(UNKNOWN_PERSON)).toBe(UNKNOWN_PERSON);
});

test("questions of a review end when it is no longer wanted, those to memory too", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const watched: Model = {
    ...model,
    ask: (request, signal) => {
      signals.push(signal);
      return model.ask(request);
    },
  };
  const access = { ...UNLIMITED, model: watched, delimiter };
  const unwanted = new AbortController();
  const asker = { isOutsider: false, isReview: true, signal: unwanted.signal };
  const given = await modelAllowance(defaultConfig().review, REPO, access, 0, asker);
  const shared = retrievalShare(given);
  if (given.model === null || shared.model === null) throw new Error("the model may be asked");
  await given.model.ask(QUESTION);
  await shared.model.ask(QUESTION);
  expect(signals.map((signal) => signal?.aborted)).toEqual([false, false]);
  unwanted.abort();
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
});

test("what memory spent is not there for the reading", () => {
  expect(remainingAfter(allowance(1), [spent(0.1), spent(0.15), spent(null)])).toMatchObject({ model, usd: 0.75 });
  expect(remainingAfter(allowance(0.2), [spent(0.3)])).toEqual({
    model: null,
    reason: "the budget of this review is used up",
  });
  const whole = allowance(1);
  expect(remainingAfter(whole, [])).toBe(whole);
  expect(remainingAfter(UNKNOWN_PERSON, [spent(1)])).toBe(UNKNOWN_PERSON);
});

test("a review costs what it and its memories cost; without a price of one part there is none", () => {
  const cost = { inputTokens: 10, outputTokens: 20, usd: 0.5 };
  expect(costOf([cost, spent(0.1), spent(0.2)])).toEqual({ inputTokens: 2_010, outputTokens: 220, usd: 0.8 });
  expect(costOf([cost])).toEqual(cost);
  expect(costOf([cost, spent(null)]).usd).toBeNull();
  expect(costOf([{ ...cost, usd: null }, spent(0.1)]).usd).toBeNull();
});
