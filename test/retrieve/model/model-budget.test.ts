import { describe, expect, test } from "vitest";
import { budgetedModel, type Question } from "../../../src/retrieve/model/model-budget.ts";
import { failure } from "../../fakes/scripted-model.ts";
import { lent } from "./scripted-budget.ts";

const QUESTION: Question<string> = {
  purpose: "queries",
  system: [{ text: "s".repeat(270), cache: true }],
  user: [{ text: "u".repeat(270), cache: false }],
  maxOutputTokens: 100,
  shape: {
    name: "word",
    jsonSchema: { type: "object" },
    check: (value) => (typeof value === "string" ? { ok: true, value } : { ok: false, problem: "no word" }),
  },
};
/** 200 tokens in and 100 out at US$ 2 and 10 a million. */
const PRICE = (200 * 2 + 100 * 10) / 1e6;

describe("a question to the retrieve stage", () => {
  test("goes to the small model with little effort, and its cost is kept by purpose", async () => {
    const { budget: money, asked } = lent(() => "yes", { tokens: { input: 1_000_000, output: 0 }, usd: 100 });
    expect(await money.ask("part", () => QUESTION)).toEqual({
      value: "yes",
      failed: null,
      tokens: 1_000_000,
      usd: 2,
      ms: 5,
    });
    await money.ask("part", () => QUESTION);
    await money.ask("part", () => ({ ...QUESTION, purpose: "gate" }));
    expect(asked[0]).toMatchObject({ tier: "small", effort: "low", purpose: "queries" });
    expect(money.name).toBe("scripted-small");
    expect(money.costs()).toEqual([
      { purpose: "queries", questions: 2, inputTokens: 2_000_000, outputTokens: 0, usd: 4 },
      { purpose: "gate", questions: 1, inputTokens: 1_000_000, outputTokens: 0, usd: 2 },
    ]);
  });

  test("is not asked when its longest reply could not be paid, also while others are under way", async () => {
    const {
      budget: money,
      asked,
      noted,
    } = lent(() => "yes", { usd: PRICE * 2.5, tokens: { input: 200, output: 100 } });
    const answers = await Promise.all([1, 2, 3].map(() => money.ask("queries", () => QUESTION)));
    expect(answers.map(({ failed }) => failed)).toEqual([null, null, "the budget leaves no money for it"]);
    expect(asked).toHaveLength(2);
    expect(noted).toEqual(["queries: the budget leaves no money for it"]);
    // What was promised is given back, what was spent is not.
    expect((await money.ask("queries", () => QUESTION)).failed).toMatch(/budget/);
    expect(money.costs()[0]?.usd).toBeCloseTo(PRICE * 2, 12);
  });

  test("costs nothing where the model has no price, and the sum says that there is none", async () => {
    const { budget: money } = lent(() => "yes", { usd: Number.POSITIVE_INFINITY, perMillion: null });
    expect(await money.ask("p", () => QUESTION)).toMatchObject({ value: "yes", usd: 0 });
    expect(money.costs()).toMatchObject([{ questions: 1, usd: null }]);
  });

  test("is not asked when it does not fit: a server that holds less cuts prompts in silence", async () => {
    const { budget: money, asked, noted } = lent(() => "yes", { contextTokens: 299 });
    expect((await money.ask("p", () => QUESTION)).value).toBeNull();
    expect(asked).toEqual([]);
    expect(noted).toEqual(["p: the question does not fit the model's context"]);
    expect((await lent(() => "yes", { contextTokens: 300 }).budget.ask("p", () => QUESTION)).value).toBe("yes");
  });

  test("that fails costs what it cost; the next one is asked, unless it would meet the same", async () => {
    const one = lent(() => failure("overloaded", "the model's server answered 529"));
    expect(await one.budget.ask("p", () => QUESTION)).toMatchObject({
      value: null,
      failed: "the model did not answer (overloaded): the model's server answered 529",
    });
    await one.budget.ask("p", () => QUESTION);
    expect(one.asked).toHaveLength(2);
    expect(one.budget.costs()).toMatchObject([{ questions: 2 }]);
    for (const lasting of ["denied", "circuit-open", "stopped"] as const) {
      const other = lent(() => failure(lasting, "gone"));
      await other.budget.ask("p", () => QUESTION);
      await other.budget.ask("q", () => QUESTION);
      expect(other.asked).toHaveLength(1);
      const reason =
        lasting === "stopped"
          ? "there was no time left to ask the model"
          : `the model did not answer (${lasting}): gone`;
      expect(other.noted).toEqual([`p: ${reason}`, `q: ${reason}`]);
    }
  });

  test("never rejects, and reports nothing if the caller does", async () => {
    const { budget: money, noted } = lent(() => {
      throw new Error("sk-secret");
    });
    expect(await money.ask(null, () => QUESTION)).toMatchObject({ value: null, failed: "the model failed" });
    expect(noted).toEqual([]);
  });

  test("without a model is answered with the reason why there is none", async () => {
    const noted: string[] = [];
    const none = { model: null, reason: "no model is configured" };
    const empty = budgetedModel(none, (part, reason) => noted.push(`${part}: ${reason}`));
    const never = () => {
      throw new Error("nobody is asked, so nothing is worded");
    };
    expect(await empty.ask("queries", never)).toMatchObject({
      value: null,
      failed: "no model is configured",
      usd: 0,
    });
    expect(empty.name).toBeNull();
    expect(empty.costs()).toEqual([]);
    expect(noted).toEqual(["queries: no model is configured"]);
  });
});
