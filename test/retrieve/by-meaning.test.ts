// `method: semantic` through the door of the stage: distances weighed by language and age, and what
// never happens to them.
import { describe, expect, test } from "vitest";
import { defaultKnowledge } from "../../src/config/knowledge.ts";
import { buildRetrievalContextSection } from "../../src/domain/memory/precedent-section.ts";
import { RERANK } from "../../src/retrieve/rank/language.ts";
import { added, DAY, embedder, memory, NOW, type Shape } from "./retrieve-builders.ts";
import { at, CPP, enter, ids, type RetrieveSetup, retrieved } from "./retrieve-harness.ts";

/** Everything is admitted. */
const FAR = { method: "semantic", distanceThreshold: 2 };
const bySemantic = (room: RetrieveSetup) => enter({ ...room, retrieval: { ...FAR, ...room.retrieval } });
const shape = (files: Readonly<Record<string, string>>): Shape => ({ title: "feat: carts", files });
const TS = shape({ "src/cart/price.ts": added("a = 1;") });
const C = shape({ "src/cart/price.c": added("a = 1;") });
const CS = shape({ "src/cart/Price.cs": added("a = 1;") });
const JS = shape({ "src/cart/price.js": added("a = 1;") });
const KOTLIN = shape({ "src/cart/price.kt": added("a = 1;") });
const JAVA = shape({ "src/cart/Price.java": added("a = 1;") });
const OBJC = shape({ "src/cart/Price.m": added('#import "a.h"', "@implementation Price", "@end") });

describe("a memory half as near as can be", () => {
  test.each<[string, Shape, string, string | null, number, boolean]>([
    ["in the language of the change [000-18][000-19][004-03]", TS, "typescript", null, 0.425, true],
    ["in it by another spelling [004-07]", TS, "TypeScript", null, 0.425, true],
    ["about C++, stored by its display name [004-07]", CPP, "C++", null, 0.425, true],
    ["about C++, stored by its id [004-01]", CPP, "cpp", null, 0.425, true],
    ["about C#, stored by its display name [004-07]", CS, "C#", null, 0.425, true],
    ["about C#, stored by its id", CS, "csharp", null, 0.425, true],
    ["about C for a change of C++ [004-05]", CPP, "c", null, 0.4625, false],
    ["about C++ for a change of C [004-05]", C, "cpp", null, 0.4625, false],
    ["about JavaScript for a change of TypeScript [004-05]", TS, "javascript", null, 0.4625, false],
    ["about TypeScript for a change of JavaScript", JS, "typescript", null, 0.4625, false],
    ["about C for a change of Objective-C", OBJC, "c", null, 0.4625, false],
    ["about Objective-C for a change of C [004-05]", C, "objectivec", null, 0.5, false],
    ["about Java for a change of Kotlin [004-05]", KOTLIN, "java", null, 0.4625, false],
    ["about Kotlin for a change of Java [004-05]", JAVA, "kotlin", null, 0.5, false],
    ["about Python for a change of C++", CPP, "python", null, 0.5, false],
    ["in an unknown language [000-21][004-04]", TS, "unknown", "src/a.ts", 0.5, false],
    ["of an old row without a language, at src/a.ts [004-01][004-04]", TS, "", "src/a.ts", 0.425, true],
    ["of an old row without a language, at package.json [000-21]", TS, "", "package.json", 0.5, false],
    ["of an old row without a language, at README.md [000-21]", TS, "", "README.md", 0.5, false],
  ])("%s", async (_, change, language, path, adjusted, languageMatch) => {
    const memories = [at("mem_1", 0.5, { language, path })];
    const { adjustedDistance, ...reported } = retrieved(
      await bySemantic({ shape: change, shelved: memories }),
      "mem_1",
    );
    expect(adjustedDistance).toBeCloseTo(adjusted, 6);
    expect(reported).toMatchObject({ languageMatch });
    expect(reported.distance).toBeCloseTo(0.5, 6);
  });

  test("another language is multiplied by exactly 1: its adjusted distance is its distance [000-20][004-02]", async () => {
    const { distance, adjustedDistance } = retrieved(
      await bySemantic({ shelved: [at("mem_python", 0.5, { language: "python" })] }),
      "mem_python",
    );
    expect(adjustedDistance).toBe(distance);
  });
});

describe("language is a tiebreaker", () => {
  const match = at("mem_cpp", 0.2, { language: "cpp" });

  test.each([
    [0.169, ["mem_other", "mem_cpp"]],
    [0.171, ["mem_cpp", "mem_other"]],
  ])(
    "beside a match at .2, another language at %d: a non-match more than 15 % nearer always stays first [000-23]",
    async (distance, order) => {
      for (const shelved of [[match, at("mem_other", distance, { language: "go" })]]) {
        expect(ids(await bySemantic({ shelved }))).toEqual(order);
        expect(ids(await bySemantic({ shelved: shelved.toReversed() }))).toEqual(order);
      }
    },
  );

  test("removes nothing: everything found without it is found with it [000-18][000-24]", async () => {
    const shelved = Array.from({ length: 5 }, (_, i) =>
      at(`mem_${i}`, 0.3 + i / 100, { language: i % 2 ? "go" : "cpp" }),
    );
    const [on, off] = [await bySemantic({ shelved }), await bySemantic({ shelved, tuning: { factors: [] } })];
    expect(ids(on).toSorted()).toEqual(ids(off).toSorted());
    expect(ids(on)).not.toEqual(ids(off));
    expect(on.cut).toEqual(off.cut);
    expect(await bySemantic({ shelved: [] })).toMatchObject({ ranked: [], degraded: [] });
  });

  test("its factors are .85 and half of it, and no key of .kodiai.yml [000-22][004-06]", async () => {
    expect(RERANK).toEqual({ sameLanguageBoost: 0.85, relatedLanguageRatio: 0.5 });
    expect(JSON.stringify(defaultKnowledge())).not.toMatch(/languageBoost|relatedLanguage|crossLanguage/i);
    const shelved = [match, at("mem_c", 0.2, { language: "c" })];
    const precedents = await bySemantic({ shelved });
    expect(retrieved(precedents, "mem_cpp").adjustedDistance).toBeCloseTo(0.17, 6);
    expect(retrieved(precedents, "mem_c").adjustedDistance).toBeCloseTo(0.185, 6);
  });

  test("weighs what another repository of the owner remembers alike [000-26]", async () => {
    const text = "Please close the connection before the function returns, also when an error is thrown.";
    const pay = { repo: "github.com/43", repoName: "acme/pay", language: "cpp", text, sharing: "given" } as const;
    const precedents = await bySemantic({ sharing: true, shelved: [match, at("mem_pay", 0.2, pay)] });
    expect(precedents.ranked.map(({ adjustedDistance }) => adjustedDistance?.toFixed(6))).toEqual([
      "0.170000",
      "0.170000",
    ]);
  });
});

describe("thresholds and scores", () => {
  test("the threshold is held against the raw distance: what language brings under it stays out [000-25]", async () => {
    const shelved = [at("mem_near", 0.29, { language: "go" }), at("mem_cpp", 0.31, { language: "cpp" })];
    for (const retrieval of [{}, { method: "semantic" }]) {
      const { cut, ...precedents } = await enter({ shelved, retrieval });
      expect(ids({ cut, ...precedents })).toEqual(["mem_near"]);
      expect(cut).toEqual([{ id: "mem_cpp", reason: "distance 0.310 is over the threshold 0.300" }]);
    }
  });

  test("the best come first, at most topK of them, with a score between 0 and 1 that falls [003-01]", async () => {
    const shelved = Array.from({ length: 20 }, (_, i) => at(`mem_${i}`, i / 10, { language: "cpp" }));
    const precedents = await bySemantic({ shelved, retrieval: { topK: 10 } });
    const scores = precedents.ranked.map(({ score }) => score);
    expect(scores).toHaveLength(10);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    expect(scores.at(0)).toBeCloseTo(1, 6);
  });

  test("what is farther than 1 by its age keeps its order, with a score above 0 [003-01]", async () => {
    const provenance = { ...memory("x").provenance, at: NOW - 3650 * DAY };
    const far = [0.7, 0.9, 1.2].map((distance, place) => at(`mem_${place}`, distance, { provenance }));
    const { ranked } = await bySemantic({ shelved: far });
    expect(ranked.map(({ record }) => record.id)).toEqual(["mem_0", "mem_1", "mem_2"]);
    for (const [place, { score }] of ranked.entries()) {
      expect(score).toBeGreaterThan(0);
      if (place > 0) expect(score).toBeLessThan(ranked[place - 1]?.score ?? 0);
    }
  });

  test("a likeness of .7 is a distance of .3; the configuration overrides it, 0 included [002-24][003-02]", async () => {
    const shelved = [at("mem_same", 0), at("mem_in", 0.299), at("mem_out", 0.301)];
    const retrievedAt = async (distanceThreshold: unknown) =>
      ids(await enter({ shelved, retrieval: { distanceThreshold } })).toSorted();
    expect(await retrievedAt("auto")).toEqual(["mem_in", "mem_same"]);
    expect(await retrievedAt(0.35)).toEqual(["mem_in", "mem_out", "mem_same"]);
    expect(await retrievedAt(0)).toEqual(["mem_same"]);
  });

  test("with eight candidates and a gap of .05 the threshold is the distance before the gap, never above the configured [000-36][000-41]", async () => {
    // The gap is a little over .05, then a little under it.
    const near = [0.16, 0.17, 0.18, 0.19, 0.242, 0.25, 0.26, 0.27];
    const all = (distances: readonly number[]) => distances.map((distance, i) => at(`mem_${i}`, distance));
    const gap = await enter({ shelved: all(near) });
    expect(gap.provenance).toMatchObject({ thresholdMethod: "gap", threshold: expect.closeTo(0.19, 6) });
    expect(ids(gap)).toHaveLength(4);
    const closer = near.map((distance) => (distance > 0.2 ? distance - 0.004 : distance));
    const narrow = await enter({ shelved: all(closer) });
    expect(narrow.provenance).toMatchObject({ thresholdMethod: "percentile", threshold: expect.closeTo(0.246, 6) });
    const seven = await enter({ shelved: all(near.slice(0, 7)) });
    expect(seven.provenance).toMatchObject({ thresholdMethod: "percentile", threshold: expect.closeTo(0.25, 6) });
    const far = [0.1, 0.12, 0.4, 0.41, 0.42, 0.43, 0.44, 0.6];
    const { provenance } = await enter({ shelved: all(far) });
    expect(provenance.threshold).toBeLessThanOrEqual(0.3);
  });
});

describe("age", () => {
  test.each([
    [0, "minor", 1],
    [-90, "minor", 1],
    [90, "minor", 1.5],
    [180, "medium", 1.75],
    [3650, "minor", 1.85],
    [90, "critical", 1.5],
    [3650, "critical", 1.7],
    [3650, "major", 1.7],
  ] as const)(
    "of %d days and %s: the distance, weighed by language, is multiplied with %d [000-36][000-40]",
    async (days, severity, factor) => {
      const provenance = { ...memory("x").provenance, at: NOW - days * DAY };
      const shelved = [at("mem_1", 0.2, { language: "cpp", severity, provenance })];
      const precedents = await bySemantic({ shelved });
      expect(retrieved(precedents, "mem_1").adjustedDistance).toBeCloseTo(0.2 * 0.85 * factor, 6);
      const later = await bySemantic({ shelved, settings: { now: NOW + 90 * DAY } });
      if (days === 0) expect(retrieved(later, "mem_1").adjustedDistance).toBeCloseTo(0.2 * 0.85 * 1.5, 6);
    },
  );

  test("what has no date is not farther [000-40]", async () => {
    const provenance = { ...memory("x").provenance, at: Number.NaN };
    const precedents = await bySemantic({ shelved: [at("mem_1", 0.2, { provenance })] });
    expect(retrieved(precedents, "mem_1").adjustedDistance).toBeCloseTo(0.2, 6);
  });
});

test("the section of the prompt has the adjusted and the raw distance, severity, category, file and outcome, and of another repository no more than the pattern [000-32]", async () => {
  const shelved = [
    at("mem_1", 0.2, {
      ...{ language: "C++", path: "src/pay/price.cpp" },
      ...{
        text: "std::round rounds half away from zero.",
        severity: "major",
        category: "correctness",
        outcome: "fixed",
      },
    }),
    at("mem_2", 0.21, {
      ...{ repo: "github.com/43", repoName: "acme/pay", language: "C++", path: "src/pay/price.cpp", sharing: "given" },
      text: "@wren: round the value after the loop and not in it, else the error grows; see `Price::total` in src/pay/price.cpp",
    }),
  ];
  const precedents = await bySemantic({ shelved, sharing: true });
  const options = { maxChars: 2000, delimiter: "=".repeat(32), repo: "acme/shop" };
  const section = buildRetrievalContextSection(precedents.ranked, options);
  expect(section).toContain("Judge this change independently");
  expect(section).toContain(
    '[major correctness] "std::round rounds half away from zero." (file src/pay/price.cpp; outcome fixed on 2026-11-21; adjusted distance 0.170, raw 0.200)',
  );
  expect(section).toContain(
    '"… round the value after the loop and not in it else the error grows see … in …" (outcome unknown on 2026-11-21; from another repository of this owner; ',
  );
  expect(section).not.toMatch(/acme\/pay|Price::|wren/);
  expect(buildRetrievalContextSection([], options)).toBe("");
});

test("what points away from the change has a score between 0 and 1 as well [003-01]", async () => {
  const shelved = [0.2, 1.2, 1.9].map((distance) => at(`mem_${distance}`, distance, { language: "cpp" }));
  const { ranked } = await bySemantic({ shelved, retrieval: { distanceThreshold: 2 } });
  expect(ranked.map(({ score }) => score >= 0 && score <= 1)).toEqual([true, true, true]);
});

test("the operator's threshold holds where a repository sets none, and decides with any embedder [003-02]", async () => {
  const shelved = [at("mem_near", 0.29), at("mem_far", 0.55)];
  const operated = { ...embedder(), operatorThreshold: 0.6 };
  for (const weight of [1, 0.3]) {
    const found = await enter({ shelved, embedder: { ...operated, weight } });
    expect(ids(found)).toEqual(["mem_near", "mem_far"]);
  }
  const own = { shelved, embedder: operated, retrieval: { distanceThreshold: 0.3 } };
  expect(ids(await enter(own))).toEqual(["mem_near"]);
});

test("a rejected comment leaves memory, with its reason; a declined one stays to be seen [002-06]", async () => {
  const described = (problem: string) => ({ by: "", source: "", confidence: 0.5, problems: [problem] });
  const shelved = [
    at("mem_question", 0.1, { described: described("rejected/question") }),
    at("mem_short", 0.1, { described: described("lesson/too-short") }),
    at("mem_declined", 0.1, { described: described("rejected/declined"), outcome: "declined" }),
    at("mem_ours", 0.1, { described: described("rejected/unclear"), corpus: "finding" }),
  ];
  const found = await enter({ shelved });
  expect(ids(found).toSorted()).toEqual(["mem_declined", "mem_ours", "mem_short"]);
  expect(found.cut).toContainEqual({ id: "mem_question", reason: "rejected: question" });
});
