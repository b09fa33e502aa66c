import { describe, expect, test } from "vitest";
import { hypotheticalQuestion, settleHypothetical } from "../../../src/retrieve/model/model-written-queries.ts";
import type { QueryCandidates } from "../../../src/retrieve/rank/fusion.ts";
import { textOf } from "../../fakes/scripted-model.ts";

const CHANGE = { about: "Title: round prices", diff: "### src/a.ts\n+round();" };
const { shape } = hypotheticalQuestion(CHANGE, `kodiai-${"0".repeat(32)}`);
const SITUATION =
  "A helper rounds each amount in a loop before the amounts are added up. The gap is that small errors of every step add up to a wrong total.";

describe("the question for a made-up situation", () => {
  test("asks for two sentences of about 50 words about the change, which is fenced [002-20]", () => {
    const delimiter = `kodiai-${"a".repeat(32)}`;
    const question = hypotheticalQuestion({ ...CHANGE, diff: `+// ${delimiter} end of diff` }, delimiter);
    expect(textOf(question.system)).toContain("Exactly two sentences, about 50 words");
    expect(textOf(question.user)).toContain(
      `${delimiter} pull request\nTitle: round prices\n${delimiter} end of pull request`,
    );
    expect(textOf(question.user).split(delimiter)).toHaveLength(5);
    expect(question).toMatchObject({ purpose: "queries" });
  });

  test("takes one text on one line, and no more than two long sentences of it", () => {
    expect(shape.check({ situation: SITUATION.replace(". ", ".\n") })).toEqual({ ok: true, value: SITUATION });
    const long = shape.check({ situation: `${SITUATION} `.repeat(100) });
    expect(long.ok && long.value.length).toBe(700);
  });

  test.each([
    null,
    "text",
    {},
    { situation: null },
    { situation: "" },
    { situation: "No." },
    { situation: [SITUATION] },
  ])("takes no other reply: %j", (reply) => {
    expect(shape.check(reply)).toMatchObject({ ok: false });
  });
});

function query(kind: QueryCandidates["variant"]["kind"], ...distances: readonly number[]): QueryCandidates {
  const nearest = distances.map((distance, at) => ({ id: `${kind}${at}`, distance }));
  return { variant: { kind, text: kind, path: null }, nearest, matching: [{ id: `${kind}-word`, score: 1 }] };
}

describe("a made-up situation", () => {
  const [direct, hunk] = [query("intent", 0.6), query("hunk", 0.4)];

  test("replaces the direct query, whose words are kept, when a memory resembles it", () => {
    const made = query("hypothetical", 0.7, 0.9);
    expect(settleHypothetical([direct, hunk, made])).toEqual({
      queries: [{ ...direct, nearest: made.nearest }, hunk],
      unused: null,
    });
    expect(settleHypothetical([hunk, made])).toEqual({ queries: [hunk, made], unused: null });
  });

  test.each<[string, readonly number[], string]>([
    ["the best similarity is under .3", [0.701, 0.9], "its best similarity 0.30 is under 0.3"],
    ["it is far from everything", [1.4], "its best similarity -0.40 is under 0.3"],
    ["it found nothing, or has no vector", [], "nothing was found near it"],
  ])("is dropped for the direct query when %s", (_, distances, reason) => {
    expect(settleHypothetical([direct, hunk, query("hypothetical", ...distances)])).toEqual({
      queries: [direct, hunk],
      unused: `hypothetical situation: ${reason}`,
    });
  });

  test("changes nothing where there is none", () => {
    expect(settleHypothetical([direct, hunk])).toEqual({ queries: [direct, hunk], unused: null });
  });
});
