import { expect, test } from "vitest";
import type { ModelCost } from "../../src/domain/retrieval.ts";
import { costWith, remainingAfter, retrievalShare } from "../../src/flows/review/model-allowance.ts";
import type { ModelAllowance } from "../../src/ports/model.ts";
import { scriptedModel } from "../fakes/scripted-model.ts";

const { model, delimiter } = scriptedModel(() => ({}));
const leave = (usd: number, signal?: AbortSignal): ModelAllowance => ({
  model,
  delimiter,
  usd,
  ...(signal === undefined ? {} : { signal }),
});
const spent = (usd: number | null): ModelCost => ({
  purpose: "rerank",
  questions: 1,
  inputTokens: 1_000,
  outputTokens: 100,
  usd,
});
const UNKNOWN_PERSON: ModelAllowance = { model: null, reason: "this month's budget of USD 50 is used up" };

test("memory may spend a quarter of a review's money, and ends when the review does", () => {
  expect(retrievalShare(leave(1))).toMatchObject({ model, usd: 0.25 });
  expect(retrievalShare(leave(Number.POSITIVE_INFINITY))).toMatchObject({ usd: Number.POSITIVE_INFINITY });
  const stopped = new AbortController();
  const given = retrievalShare(leave(1, stopped.signal));
  if (given.model === null) throw new Error("there is leave");
  expect(given.signal?.aborted).toBe(false);
  stopped.abort();
  expect(given.signal?.aborted).toBe(true);
  expect(retrievalShare(UNKNOWN_PERSON)).toBe(UNKNOWN_PERSON);
});

test("what memory spent is not there for the reading", () => {
  expect(remainingAfter(leave(1), [spent(0.1), spent(0.15), spent(null)])).toMatchObject({ model, usd: 0.75 });
  expect(remainingAfter(leave(0.2), [spent(0.3)])).toEqual({
    model: null,
    reason: "the budget of this review is used up",
  });
  const whole = leave(1);
  expect(remainingAfter(whole, [])).toBe(whole);
  expect(remainingAfter(UNKNOWN_PERSON, [spent(1)])).toBe(UNKNOWN_PERSON);
});

test("a review costs what it and its memories cost; without a price of one part there is none", () => {
  const cost = { inputTokens: 10, outputTokens: 20, usd: 0.5 };
  expect(costWith(cost, [spent(0.1), spent(0.2)])).toEqual({ inputTokens: 2_010, outputTokens: 220, usd: 0.8 });
  expect(costWith(cost, [])).toEqual(cost);
  expect(costWith(cost, [spent(null)]).usd).toBeNull();
  expect(costWith({ ...cost, usd: null }, [spent(0.1)]).usd).toBeNull();
});
