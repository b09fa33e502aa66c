import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MemoryCounts } from "../../../src/domain/retrieval.ts";
import { GATE, type GateConfig } from "../../../src/retrieve/gate/gate.ts";
import { parseQuestion, questionGate } from "../../../src/retrieve/gate/question-gate.ts";

const SOME: MemoryCounts = { total: 12, byLanguage: new Map(), byCorpus: new Map(), byOutcome: new Map() };
const asked = (text: string) => ({ text, path: null, languages: [], before: [], description: "" });
const decide = (text: string, config: Partial<GateConfig> = {}, counts: MemoryCounts | null = SOME) =>
  questionGate(asked(text), { ...GATE, ...config }, counts);

describe("a question is read for what it wants and what it names", () => {
  test.each([
    ["where is the token refreshed?", "find"],
    ["explain the retry policy", "explain"],
    ["list all callers of the parser", "list"],
    ["why does this crash on an empty list?", "debug"],
    ["the build fails on Windows", "debug"],
    ["hm, could you look once more", "other"],
  ])("what %j wants [001-29]", (text, intent) => {
    expect(parseQuestion(text).intent).toBe(intent);
  });

  test("names are in backticks, paths, calls and shapes of identifiers [001-29]", () => {
    expect(
      parseQuestion("Does `lock_` in src/auth/session.cpp protect parseToken() and MAX_AGE, or SessionStore?")
        .entityMentions,
    ).toEqual(["lock_", "src/auth/session.cpp", "parseToken", "SessionStore", "MAX_AGE"]);
  });
});

describe("whether a question takes memory", () => {
  test.each([
    ["What does `SessionStore` promise about locks?", true, 0.95, "keyword", "named-in-question"],
    ["Who calls the UserService here?", true, 0.95, "keyword", "named-in-question"],
    ["where do we check the tenant?", true, 0.9, "semantic", "project-question"],
    ["explain the locking here", true, 0.9, "semantic", "project-question"],
    ["why does this deadlock?", true, 0.9, "related-files", "project-question"],
    ["is that alright?", true, 0.6, "hybrid", "ambiguous"],
    ["12 * 4 = ?", false, 0.99, null, "small-talk"],
    ["hello there", false, 0.99, null, "small-talk"],
    ["thanks, sounds good", false, 0.99, null, "small-talk"],
    ["What is the difference between let and const in JavaScript?", false, 0.95, null, "general-question"],
    ["let vs const?", false, 0.95, null, "general-question"],
  ])(
    "a name in it is searched by words, a wish by its kind, small talk and book knowledge not at all: %j [001-06][001-07][001-08][001-22][001-23][001-24]",
    (text, retrieve, confidence, strategy, decidedBy) => {
      expect(decide(text)).toMatchObject({ retrieve, confidence, strategy, decidedBy });
    },
  );

  test.each([
    "history of schema migrations",
    "highlighting of diff hunks",
    "TypeScript strictness",
    "type guards for webhook payloads",
    "okta login is slow",
    "no tests for the parser?",
    "difference between our two caches",
    "which of these files is used in src/a.ts vs src/b.ts",
  ])("%j is no small talk and nothing that any book answers [001-08]", (text) => {
    expect(decide(text).retrieve).toBe(true);
  });

  test("configuration, an empty memory and a demand for certainty are honoured", () => {
    expect(decide("thanks", { enabled: false })).toMatchObject({ retrieve: true, confidence: 1 });
    expect(decide("where is it?", {}, { ...SOME, total: 0 })).toMatchObject({ retrieve: false, confidence: 1 });
    expect(decide("let vs const?", { confidenceThreshold: 0.97 })).toMatchObject({ retrieve: true });
    const patterns = [{ source: "tenant", matches: (text: string) => text.includes("tenant") }];
    expect(decide("tenant?", { retrievePatterns: patterns })).toMatchObject({ retrieve: true, confidence: 0.99 });
  });

  test("any text gets a decision with a reason", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
        expect(decide(text).reason).not.toBe("");
      }),
    );
  });
});
