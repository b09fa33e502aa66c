// `method: hybrid` through the door of the stage: how ranks and scores become one order, and what
// language does to it.
import { describe, expect, test } from "vitest";
import type { Precedents } from "../../src/domain/retrieval.ts";
import { newGateCache } from "../../src/retrieve/gate/evaluate-gate.ts";
import { added, atDistance, embedder, memory, type Shape, type Shelved } from "./retrieve-builders.ts";
import { at, CPP, enter, factorOf, ids, type RetrieveSetup, retrieved } from "./retrieve-harness.ts";

/** Everything that is found is admitted: what is looked at here is its order. */
const WIDE = { distanceThreshold: 2, topK: 20, maxContextChars: 5000 };
const entered = (fusion: string) => (room: RetrieveSetup) =>
  enter({ ...room, retrieval: { ...WIDE, fusion, ...room.retrieval }, tuning: { floors: false, ...room.tuning } });
const byRank = entered("rrf");
const byScore = entered("weighted");
/** As a repository without a configuration has it. */
const byDefault = enter;
/** Words that no query has. */
const SILENT = { text: "zymurgy quux" };
const silent = (id: string, distance: number, more: Parameters<typeof memory>[1] = {}) =>
  at(id, distance, { ...SILENT, text: `zymurgy quux ${id.slice(4)}`, ...more });
/** The fused score, before the factors. */
const fused = (precedents: Precedents, id: string) =>
  factorOf(retrieved(precedents, id), precedents.ranked[0]?.terms[0]?.name ?? "");
const lines = (count: number) => added(...Array.from({ length: count }, (_, i) => `x${i} = 1;`));
/** A strategy that weighs both retrievers alike: a feature over many files. */
const MANY: Shape = {
  title: "feat: round prices",
  files: Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`src/cart/part${i}.cpp`, added("a = 1;")])),
};

describe("by rank", () => {
  test("a list gives 1 / (60 + rank) with ranks from 1, and an id in both lists gets both [002-17][003-14]", async () => {
    const shelved = [
      silent("mem_first", 0.1),
      silent("mem_both", 0.2, { text: "round prices" }),
      { record: memory("mem_words", { text: "round zymurgy quux" }) },
    ];
    const precedents = await byRank({ shape: MANY, shelved });
    expect(precedents.gate.strategy).toBe("hybrid");
    expect(ids(precedents)).toEqual(["mem_both", "mem_first", "mem_words"]);
    expect(retrieved(precedents, "mem_both")).toMatchObject({ vectorRank: 2, keywordRank: 1 });
    expect(fused(precedents, "mem_both")).toBeCloseTo(1 / 62 + 1 / 61, 12);
    expect(fused(precedents, "mem_first")).toBeCloseTo(1 / 61, 12);
    expect(fused(precedents, "mem_words")).toBeCloseTo(1 / 62, 12);
  });

  test("a memory that several queries find comes once, where its best query put it [002-17][003-07]", async () => {
    const perText = embedder(async (texts) => ({
      // The queries look in different directions: what is near to one is far from the other.
      vectors: texts.map((_, index) => (index === 0 ? Float32Array.of(1, 0) : Float32Array.of(0, 1))),
      tokens: 0,
      usd: 0,
      cached: 0,
      failed: null,
    }));
    const shelved: readonly Shelved[] = [
      { record: memory("mem_title", SILENT), vector: atDistance(0.05) },
      {
        record: memory("mem_code", { text: "frobnicate xyzzy" }),
        vector: Float32Array.of(0.05, Math.sqrt(1 - 0.0025)),
      },
    ];
    for (const retrieval of [{}, { method: "semantic" }]) {
      const precedents = await byDefault({ shelved, embedder: perText, retrieval });
      expect(ids(precedents).toSorted()).toEqual(["mem_code", "mem_title"]);
      expect(retrieved(precedents, "mem_title").distance).toBeCloseTo(0.05, 6);
      expect(retrieved(precedents, "mem_code").distance).toBeLessThan(0.01);
      expect([retrieved(precedents, "mem_title").vectorRank, retrieved(precedents, "mem_code").vectorRank]).toEqual([
        1, 1,
      ]);
      const scores = precedents.ranked.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }
  });

  test("pooled by reciprocal ranks, which is there for measurements, a memory of many weak places overtakes [002-17]", async () => {
    const perText = embedder(async (texts) => ({
      vectors: texts.map((_, index) => (index === 0 ? Float32Array.of(1, 0) : Float32Array.of(0, 1))),
      ...{ tokens: 0, usd: 0, cached: 0, failed: null },
    }));
    const shelved: readonly Shelved[] = [
      { record: memory("mem_title", SILENT), vector: atDistance(0.05) },
      { record: memory("mem_code", SILENT), vector: Float32Array.of(0.05, Math.sqrt(1 - 0.0025)) },
    ];
    expect(ids(await byRank({ shelved, embedder: perText, tuning: { pooling: "rrf", fold: false } }))[0]).toBe(
      "mem_code",
    );
  });

  test("on defaults an id in both lists comes once, its score the sum of what words, place and meaning say [002-18][003-14]", async () => {
    const shelved = [
      silent("mem_near", 0.1),
      silent("mem_both", 0.1, { text: "round prices of the carts" }),
      { record: memory("mem_words", { text: "round prices of the carts there", provenance: { at: 0 } }) },
    ];
    const { ranked } = await byDefault({ shape: MANY, shelved, tuning: { floors: false, fold: false } });
    expect(ranked.map(({ record }) => record.id).toSorted()).toEqual(["mem_both", "mem_near", "mem_words"]);
    const [first] = ranked;
    expect(first).toMatchObject({ record: { id: "mem_both" }, vectorRank: expect.any(Number), keywordRank: 1 });
    expect(first?.terms.map(({ name }) => name)).toEqual(expect.arrayContaining(["words", "meaning"]));
    for (const { score, terms } of ranked)
      expect(score).toBeCloseTo(
        terms.reduce((sum, { value }) => sum + value, 0),
        12,
      );
    expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  test("on defaults a memory that one query finds first is weighed, however far behind another query finds it [003-07]", async () => {
    // Each file's code looks in a direction of its own and finds fifty memories that no other
    // finds: more than are weighed.
    const QUERIES = 10;
    const directions = QUERIES + 1;
    const towards = (axis: number, distance: number) => {
      const vector = new Float32Array(directions + 1);
      vector[axis] = 1 - distance;
      vector[directions] = Math.sqrt(1 - (1 - distance) ** 2);
      return vector;
    };
    const files = Object.fromEntries(
      Array.from({ length: QUERIES }, (_, at) => [`src/part${at}.cpp`, added(`int part${at} = ${at};`, "return 1;")]),
    );
    const perText = embedder(async (texts) => ({
      vectors: texts.map((_, at) => towards(at, 0)),
      ...{ tokens: 0, usd: 0, cached: 0, failed: null },
    }));
    const shelved = Array.from({ length: directions }, (_, axis) =>
      Array.from({ length: 49 }, (_, at) => ({
        record: memory(`mem_${axis}_${at}`, { text: `zymurgy quux${axis}x${at}` }),
        vector: towards(axis, 0.215 + at / 1_000),
      })),
    ).flat();
    const [first, last] = [0, directions - 1];
    const between = (near: number, far: number) => {
      const vector = towards(near, 0.21);
      vector[far] = 1 - 0.2625;
      return vector;
    };
    shelved.push({ record: memory("mem_first", SILENT), vector: between(first, last) });
    shelved.push({ record: memory("mem_last", SILENT), vector: between(last, first) });
    const precedents = await byDefault({ shape: { title: "feat: parts", files }, shelved, embedder: perText });
    const behind = precedents.cut.filter(({ reason }) => reason.startsWith("ranks behind")).map(({ id }) => id);
    expect(behind.length).toBeGreaterThan(200);
    expect(behind).not.toContain("mem_first");
    expect(behind).not.toContain("mem_last");
  });

  test("comments, findings and documents are fused alike, and ties have one order for any input order [004-18]", async () => {
    const shelved = (["review_comment", "finding", "doc"] as const).map((corpus) =>
      silent(`mem_${corpus}`, 0.1, { corpus }),
    );
    const orders = [shelved, shelved.toReversed()].map(async (list) => {
      const ranked = (await byRank({ shape: MANY, shelved: list })).ranked;
      expect(ranked.map(({ vectorRank }) => vectorRank).toSorted()).toEqual([1, 2, 3]);
      const scores = ranked.map((one) => factorOf(one, "ranks")).toSorted();
      for (const [i, score] of scores.entries()) expect(score).toBeCloseTo(1 / (63 - i), 12);
      return ranked.map(({ record }) => record.corpus);
    });
    expect(new Set((await Promise.all(orders)).map((order) => order.toSorted().join()))).toEqual(
      new Set(["doc,finding,review_comment"]),
    );
    const same = () => byRank({ shape: MANY, shelved });
    expect(ids(await same())).toEqual(ids(await same()));
  });
});

describe("by score", () => {
  const shelved = [
    silent("mem_near", 0.1),
    silent("mem_both", 0.4, { text: "round prices" }),
    { record: memory("mem_words", { text: "round zymurgy quux" }) },
  ];

  test("is .7 × likeness + .3 × BM25 over its maximum; an id in one list scores that part only [002-18][003-10]", async () => {
    const precedents = await byScore({ shape: MANY, shelved });
    expect(fused(precedents, "mem_near")).toBeCloseTo(0.7 * 0.9, 6);
    expect(fused(precedents, "mem_both")).toBeCloseTo(0.7 * 0.6 + 0.3, 6);
    const words = retrieved(precedents, "mem_words");
    const most = retrieved(precedents, "mem_both").keywordScore ?? 0;
    expect(fused(precedents, "mem_words")).toBeCloseTo((0.3 * (words.keywordScore ?? 0)) / most, 6);
    expect(words.distance).toBeNull();
  });

  test("weights may be 0 and count once: 1 to 0 is the order of distance, 0 to 1 that of words [002-18][003-10]", async () => {
    const weighted = (semantic: number, keyword: number) =>
      byScore({ shape: MANY, shelved, retrieval: { weights: { semantic, keyword } } });
    const near = await weighted(1, 0);
    expect(ids(near)[0]).toBe("mem_near");
    expect(fused(near, "mem_both")).toBeCloseTo(0.6, 6);
    expect(fused(near, "mem_words")).toBeCloseTo(0, 6);
    const words = await weighted(0, 1);
    expect(ids(words)[0]).toBe("mem_both");
    expect(fused(words, "mem_both")).toBeCloseTo(1, 6);
    expect(fused(words, "mem_near")).toBeCloseTo(0, 6);
    const half = await weighted(0.5, 0.5);
    expect(fused(half, "mem_both")).toBeCloseTo(0.5 * 0.6 + 0.5, 6);
  });
});

describe("the languages of the change", () => {
  test.each<[string, Shape, Parameters<typeof memory>[1], number, boolean]>([
    ["the language of all of it [004-10]", CPP, { language: "cpp" }, 1.25, true],
    ["by its display name [004-01][004-07]", CPP, { language: "C++" }, 1.25, true],
    ["a related one [004-05][004-10]", CPP, { language: "c" }, 1.125, false],
    ["another [000-20][004-02]", CPP, { language: "python" }, 1, false],
    ["an unknown one [000-21][004-04][004-15]", CPP, { language: "unknown" }, 1, false],
    ["an old row's path [004-01][004-04][004-14]", CPP, { language: "", path: "src/a.cc" }, 1.25, true],
    [
      "a review comment's path [004-14]",
      CPP,
      { corpus: "review_comment", language: "", path: "src/a.hpp" },
      1.25,
      true,
    ],
    [
      "a page by its first tag that is not general [004-14]",
      CPP,
      { corpus: "doc", tags: ["general", "C++"], language: "markdown" },
      1.25,
      true,
    ],
    [
      "a page with general tags only [004-15]",
      CPP,
      { corpus: "doc", tags: ["general"], language: "markdown" },
      1,
      false,
    ],
    [
      "a page about Python for a change of Python [004-22]",
      { title: "feat: carts", files: { "src/cart.py": added("a = 1") } },
      { corpus: "doc", tags: ["python"], language: "markdown" },
      1.25,
      true,
    ],
    [
      "no language on the change [000-21][004-04][004-11]",
      { title: "feat: carts", files: { "data/a.json": added("1") } },
      { language: "cpp" },
      1,
      false,
    ],
  ])("%s", async (_, shape, record, factor, languageMatch) => {
    const room = { shape, shelved: [silent("mem_1", 0.1, record)] };
    const [on, off] = [await byDefault(room), await byDefault({ ...room, tuning: { factors: [] } })];
    const [after, before] = [retrieved(on, "mem_1"), retrieved(off, "mem_1")];
    expect(after.score - before.score).toBeCloseTo(Math.log(factor), 12);
    expect(factorOf(after, "language")).toBeCloseTo(factor, 12);
    expect(after.languageMatch).toBe(languageMatch);
    if (factor === 1) expect(after.score).toBe(before.score);
  });

  test("each lifts by its part of the changed lines: 80 % by 1.2, 20 % by 1.05, and 80 % more than 50 % [004-11]", async () => {
    const shelved = [silent("mem_cpp", 0.1, { language: "cpp" }), silent("mem_python", 0.1, { language: "python" })];
    const lifted = async (cpp: number, python: number) => {
      const files = { "src/a.cpp": lines(cpp), "tools/b.py": lines(python) };
      const precedents = await byDefault({ shape: { title: "feat: both", files }, shelved });
      return [
        factorOf(retrieved(precedents, "mem_cpp"), "language"),
        factorOf(retrieved(precedents, "mem_python"), "language"),
      ];
    };
    expect(await lifted(8, 2)).toEqual([expect.closeTo(1.2, 12), expect.closeTo(1.05, 12)]);
    expect(await lifted(5, 5)).toEqual([expect.closeTo(1.125, 12), expect.closeTo(1.125, 12)]);
  });

  test("never lower a memory, and are weighed once: raw distance and rank enter the fusion [000-24][004-12][004-16]", async () => {
    const languages = ["cpp", "c", "python", "unknown", ""];
    const shelved = languages.map((language, i) => silent(`mem_${i}`, 0.1 + i / 100, { language }));
    for (const enterBy of [byDefault, byRank, byScore]) {
      const [on, off] = [await enterBy({ shelved }), await enterBy({ shelved, tuning: { factors: [] } })];
      for (const [i] of languages.entries()) {
        const [after, before] = [retrieved(on, `mem_${i}`), retrieved(off, `mem_${i}`)];
        expect(after.score).toBeGreaterThanOrEqual(before.score);
        expect(after).toMatchObject({ distance: before.distance, vectorRank: i + 1, adjustedDistance: null });
        expect(after.terms.filter(({ name }) => name === "language").length).toBeLessThanOrEqual(1);
      }
    }
  });

  test("come after the weights of sources and before all else, and the list is sorted again [004-10][004-19]", async () => {
    const shelved = [
      silent("mem_first", 0.1, { language: "python", corpus: "doc" }),
      silent("mem_second", 0.11, { language: "cpp", outcome: "fixed" }),
    ];
    const precedents = await byDefault({ shelved, retrieval: { sourceWeights: { review_comment: 1.1 } } });
    expect(ids(precedents)).toEqual(["mem_second", "mem_first"]);
    expect(retrieved(precedents, "mem_second").terms.map(({ name }) => name)).toEqual([
      ...["words", "meaning", "source", "language", "outcome"],
    ]);
  });
});

describe("what was found", () => {
  test("has id, text, source, label, address, distance, score, date, language and its folded duplicates [004-17]", async () => {
    const text = "Close the response body before returning";
    const shelved = [
      silent("mem_a", 0.1, { text, language: "cpp", path: "src/a.cpp" }),
      silent("mem_b", 0.2, { text, corpus: "finding" }),
    ];
    const [found] = (await byDefault({ shelved })).ranked;
    expect(found).toMatchObject({
      record: {
        ...{ id: "mem_a", text, corpus: "review_comment", language: "cpp", path: "src/a.cpp" },
        provenance: { url: expect.stringMatching(/^https:/), at: expect.any(Number) },
      },
      distance: expect.closeTo(0.1, 6),
      score: expect.any(Number),
      alternateSources: ["[finding: mem_b]"],
    });
  });

  test("is looked up again each time, even when the gate's decision is cached [003-35]", async () => {
    const settings = { gateCache: newGateCache() };
    expect(ids(await byDefault({ shelved: [silent("mem_one", 0.1)], settings }))).toEqual(["mem_one"]);
    const again = await byDefault({ shelved: [silent("mem_two", 0.05)], settings });
    expect(again.gate.decidedBy).toBe("cache");
    expect(ids(again)).toEqual(["mem_two"]);
  });

  test("scores by the words of the change, however old it is [003-16]", async () => {
    const shelved = [
      { record: memory("mem_best", { text: "round prices half to even", provenance: { at: 0 } }) },
      ...Array.from({ length: 60 }, (_, i) => ({ record: memory(`mem_${i}`, { text: `round zymurgy quux${i}` }) })),
    ];
    const shape = { ...MANY, title: "feat: round prices half to even" };
    expect(ids(await byDefault({ shape, shelved }))[0]).toBe("mem_best");
  });
});
