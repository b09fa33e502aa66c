import { expect, test } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import { describedBy } from "../describe-memories-case.ts";
import { failure, scriptedModel } from "../fakes/scripted-model.ts";
import { reply } from "../learn/model-descriptions.ts";

const WANTED = "knowledge: {describe: model}";

test("without a model, or where the model is switched off, nothing is described", async () => {
  expect(await describedBy(WANTED, null)).toBe("skipped: there is no model");
  expect(await describedBy(`${WANTED}\nreview: {model: off}`)).toBe("skipped: review.model is off");
});

test("the month's budget of the repository holds for it", async () => {
  const spent = scriptedModel(() => reply(), { spent: 19.99 });
  const config = `${WANTED}\nreview: {budget: {usdPerMonth: 20}}`;
  expect(await describedBy(config, spent)).toMatch(/stopped: what is left of this month's budget of USD 20 /);
  expect(spent.asked).toEqual([]);
});

test("a model that cannot be asked now is asked again later by the same job", async () => {
  const busy = scriptedModel(() => failure("overloaded", "Overloaded"));
  await expect(describedBy(WANTED, busy)).rejects.toThrow(Transient);
  const denied = scriptedModel(() => failure("denied", "the key is wrong"));
  expect(await describedBy(WANTED, denied)).toMatch(
    /stopped: the model cannot be asked now \(denied\): the key is wrong$/,
  );
});
