// The gate as the stage uses it: what a decision costs, what it saves, and what it changes in what
// is heard.
import { describe, expect, test } from "vitest";
import { defaultKnowledge } from "../../src/config/knowledge.ts";
import { newGateCache } from "../../src/retrieve/gate/evaluate-gate.ts";
import { GATE } from "../../src/retrieve/gate/gate.ts";
import { failure, scriptedModel, textOf } from "../fakes/scripted-model.ts";
import { SHAPES } from "./gate/gate-shapes.ts";
import { added, embedder, memory, memoryStore, NOW, type Shape } from "./retrieve-builders.ts";
import { at, CPP, enter, factorOf, ids, type RetrieveSetup, retrieved } from "./retrieve-harness.ts";

const SOME = [at("mem_1", 0.1, { language: "cpp" }), at("mem_2", 0.2, { corpus: "finding", outcome: "declined" })];
const LOCK: Shape = { title: "Refresh", files: { "package-lock.json": " {\n+a" } };
/** Seven files that no rule knows. */
const OTHER: Shape = {
  title: "Import the rest",
  files: Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`content/part${i}.yaml`, " a\n+b"])),
};

/** Asked only where `retrieval` is given too. */
function model(...replies: readonly (string | Error)[]) {
  let reported = 0;
  const access = scriptedModel(() => {
    const reply = replies[Math.min(reported++, replies.length - 1)] ?? "";
    return reply instanceof Error ? failure("timeout", reply.message) : reply;
  });
  return { access, asked: access.asked, retrieval: { gate: { model: true } } };
}

const SKIP = '{"shouldRetrieve": false, "confidence": 0.9, "reason": "only data"}';

describe("shapes of pull requests, through the stage", () => {
  test.each(SHAPES)("$name: skip $skip [001-01][001-09][001-19]", async (shape) => {
    const asking = embedder();
    const { gate, query, ranked } = await enter({ shape, shelved: SOME, embedder: asking });
    expect(gate).toEqual({
      retrieve: !shape.skip,
      confidence: expect.any(Number),
      reason: expect.stringMatching(/\S/),
      strategy: shape.skip ? null : gate.strategy,
      estimatedRelevance: gate.estimatedRelevance,
      decidedBy: expect.stringMatching(/^[a-z-]+$/),
    });
    expect(gate.confidence).toBeGreaterThanOrEqual(0);
    expect(gate.confidence).toBeLessThanOrEqual(1);
    if (!shape.skip) return;
    expect({ query, ranked, asked: asking.asked }).toEqual({ query: null, ranked: [], asked: [] });
  });

  test("at least two in five are decided by rules alone; here it is nearly all [001-27]", async () => {
    const decisions = await Promise.all(SHAPES.map((shape) => enter({ shape, shelved: SOME })));
    const byRules = decisions.filter(({ gate }) => !["default", "model"].includes(gate.decidedBy)).length;
    expect(byRules / decisions.length).toBeGreaterThanOrEqual(0.4);
    expect(byRules / decisions.length).toBeGreaterThan(0.95);
  });
});

describe("who decides", () => {
  test("what was decided a moment ago, then the rules, then a model, then a search [001-05]", async () => {
    const { asked, ...may } = model(SKIP);
    const settings = { gateCache: newGateCache() };
    const decidedBy = async (room: Partial<RetrieveSetup>) =>
      (await enter({ shelved: SOME, settings, ...may, ...room })).gate.decidedBy;
    expect(await decidedBy({ shape: CPP })).toBe("few-files");
    expect(asked).toEqual([]);
    expect(await decidedBy({ shape: OTHER })).toBe("model");
    expect(await decidedBy({ shape: OTHER })).toBe("cache");
    expect(asked).toHaveLength(1);
    expect(await decidedBy({ shape: OTHER, retrieval: {} })).toBe("default");
  });

  test("without a model a search at .5, and the rules go on [001-14]", async () => {
    expect((await enter({ shape: OTHER, shelved: SOME })).gate).toMatchObject({ retrieve: true, confidence: 0.5 });
    expect((await enter({ shape: LOCK, shelved: SOME })).gate.retrieve).toBe(false);
  });

  test("a gate that fails is a search, and the review says so [001-13]", async () => {
    const gateCache = newGateCache();
    gateCache.get = () => {
      throw new Error("broken");
    };
    const { gate, ranked, degraded } = await enter({ shape: LOCK, shelved: SOME, settings: { gateCache } });
    expect(gate).toMatchObject({ retrieve: true, confidence: 0.5, reason: "the gate failed" });
    expect(ranked).not.toEqual([]);
    expect(degraded.map(({ part }) => part)).toContain("gate");
  });

  test("disabled: memory is searched with confidence 1, and the reason says so [001-04]", async () => {
    const { gate } = await enter({ shape: LOCK, shelved: SOME, retrieval: { gate: { enabled: false } } });
    expect(gate).toMatchObject({ retrieve: true, confidence: 1, reason: expect.stringContaining("disabled") });
  });

  test("a skip that is less certain than .7 becomes a search and says so; from .7 on it is a skip [001-11][001-15]", async () => {
    const skipAt = async (confidence: number) => {
      return (await enter({ shape: OTHER, shelved: SOME, ...model(SKIP.replace("0.9", String(confidence))) })).gate;
    };
    expect(await skipAt(0.69)).toMatchObject({
      retrieve: true,
      reason: "only data; searched anyway, because 0.69 is below the confidence threshold 0.7",
    });
    expect((await skipAt(0.7)).retrieve).toBe(false);
  });

  test("the defaults: on, .7, 500 tokens, decisions kept for 300 s, no patterns of our own [001-03]", () => {
    const { gate } = defaultKnowledge().retrieval;
    expect({ ...GATE, ...gate }).toEqual({
      enabled: true,
      model: false,
      confidenceThreshold: 0.7,
      maxInputTokens: 500,
      cacheDecisions: true,
      cacheTTLSeconds: 300,
      skipPatterns: [],
      retrievePatterns: [],
    });
  });
});

describe("what is asked of a model", () => {
  test("the project, what it remembers, and the signals of the pull request, within 500 tokens [001-02][001-16]", async () => {
    const { asked, ...may } = model(SKIP);
    const body = `Use \`parsePrice\`. ${"Nobody reads this far. ".repeat(2_000)}`;
    const shape = { ...OTHER, title: "Import the rest" };
    await enter({ shape, shelved: SOME, ...may });
    const [question] = asked;
    const reported = textOf(question?.user ?? []);
    expect(reported).toContain('project: "acme/shop"');
    expect(reported).toContain("memories: 2, review_comment 1, finding 1");
    expect(reported).toContain('title: "Import the rest"');
    expect(reported).toContain('files: "content/part0.yaml, content/part1.yaml');
    // Longer than that in each of its parts.
    const wide = (name: string) => `content/${"deeply-nested/".repeat(6)}${name}.yaml`;
    const files = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [wide(`part${i}`), " a\n+b"]));
    const long = { title: "Import the rest ".repeat(30), body: body.replace("`parsePrice`", "it"), files };
    await enter({ shape: long, shelved: SOME, ...may });
    const sizeOf = (at: number) =>
      [...(asked[at]?.system ?? []), ...(asked[at]?.user ?? [])].reduce((sum, { text }) => sum + text.length, 0);
    expect([sizeOf(1) > 500 * 3 - 10, sizeOf(1) <= 500 * 3]).toEqual([true, true]);
    expect(asked[1]).toMatchObject({ purpose: "gate", tier: "small", effort: "low", maxOutputTokens: 100 });
    const gate = { model: true, maxInputTokens: 250 };
    await enter({ shape: long, shelved: SOME, access: may.access, retrieval: { gate } });
    expect([sizeOf(2) > 250 * 3 - 10, sizeOf(2) <= 250 * 3]).toEqual([true, true]);
  });

  test.each([
    ["vector_search", "semantic"],
    ["graph_traverse", "related-files"],
    ["entity_lookup", "keyword"],
    ["constructor", null],
  ])("its strategy %s is our %s [001-21]", async (strategy, ours) => {
    const may = model(JSON.stringify({ shouldRetrieve: true, confidence: 0.9, strategy }));
    const { gate } = await enter({ shape: OTHER, shelved: SOME, ...may });
    expect(gate).toMatchObject({ retrieve: true, strategy: ours, decidedBy: "model" });
  });
});

describe("what a strategy changes", () => {
  const near = at("mem_near", 0.1, { text: "zymurgy" });
  const wordy = { record: memory("mem_wordy", { text: "import the rest", path: "src/z.ts" }) };
  const close = at("mem_close", 0.2, { text: "quux", path: "content/old.yaml" });
  const order = async (strategy: string, shelved = [near, wordy]) => {
    const { access, retrieval: may } = model(JSON.stringify({ shouldRetrieve: true, confidence: 0.9, strategy }));
    return enter({ shape: OTHER, shelved, retrieval: may, tuning: { floors: false }, access });
  };

  test("keyword takes from nearness, semantic from words; neither drops what the other found [001-19][001-21]", async () => {
    const [even, words, nearness] = [await order("hybrid"), await order("keyword"), await order("semantic")];
    const lnOf = (from: typeof even, id: string, name: string) => Math.log(factorOf(retrieved(from, id), name));
    expect(lnOf(words, "mem_near", "meaning")).toBeCloseTo(0.6 * lnOf(even, "mem_near", "meaning"), 9);
    expect(lnOf(words, "mem_wordy", "words")).toBeCloseTo(lnOf(even, "mem_wordy", "words"), 9);
    expect(lnOf(nearness, "mem_wordy", "words")).toBeCloseTo(0.6 * lnOf(even, "mem_wordy", "words"), 9);
    expect(lnOf(nearness, "mem_near", "meaning")).toBeCloseTo(lnOf(even, "mem_near", "meaning"), 9);
    for (const strategy of ["keyword", "semantic", "hybrid", "related-files"])
      expect(ids(await order(strategy)).toSorted()).toEqual(["mem_near", "mem_wordy"]);
  });

  test("related-files lifts what was said in the same folder by 1.2 [001-21][003-40]", async () => {
    const { ranked } = await order("related-files", [near, wordy, close]);
    const boosts = Object.fromEntries(ranked.map((one) => [one.record.id, factorOf(one, "related files").toFixed(3)]));
    expect(boosts).toEqual({ mem_close: "1.200", mem_near: "1.000", mem_wordy: "1.000" });
  });
});

describe("patterns of the configuration", () => {
  const gate = { model: true, skipPatterns: ["^src/"], retrievePatterns: ["^src/cart/"] };

  test("a retrieve pattern wins over a skip pattern, and no model is asked [001-18]", async () => {
    const { access, asked } = model(SKIP);
    const searched = await enter({ shelved: SOME, retrieval: { gate }, access });
    expect(searched.gate).toMatchObject({ retrieve: true, confidence: 0.99, decidedBy: "retrieve-pattern" });
    const skipped = await enter({ shelved: SOME, retrieval: { gate: { ...gate, retrievePatterns: [] } }, access });
    expect(skipped.gate).toMatchObject({ retrieve: false, confidence: 0.99, decidedBy: "skip-pattern" });
    expect(asked).toEqual([]);
  });

  test.each([
    "hello, thanks for the rounding",
    "hi: greet by name",
    "history of schema versions",
    "highlighting of diff hunks",
    "TypeScript strictness",
    "type guards for webhook payloads",
    "3 + 4 strategies for rounding",
    "category pagination",
  ])("a greeting or a sum is no reason to skip a pull request: %s [001-30]", async (title) => {
    const shape = { title, files: { "src/hello.ts": added("greet();"), "src/thanks.go": added("thank()") } };
    expect((await enter({ shape, shelved: SOME })).gate).toMatchObject({ retrieve: true, decidedBy: "few-files" });
  });

  test("names in backticks and paths to code are looked up by words [001-30]", async () => {
    for (const title of ["`parsePrice` rounds down", "see src/cart/price.ts", "see lib/price.py"]) {
      const shape = { ...OTHER, title };
      expect((await enter({ shape, shelved: SOME })).gate).toMatchObject({ strategy: "keyword", confidence: 0.95 });
    }
  });
});

describe("remembered decisions", () => {
  const cached = async (
    settings: RetrieveSetup["settings"],
    may: Partial<RetrieveSetup>,
    more: Partial<RetrieveSetup> = {},
  ) => {
    const gate = { ...(may.retrieval?.gate as object), ...(more.retrieval?.gate as object) };
    return (await enter({ shape: OTHER, shelved: SOME, settings, ...may, ...more, retrieval: { gate } })).gate
      .decidedBy;
  };

  test("cost no second question until 300 s are over, and none is kept when the configuration says so [001-17]", async () => {
    const { asked, ...may } = model(SKIP);
    const kept = { gateCache: newGateCache() };
    expect(await cached({ ...kept, now: NOW }, may)).toBe("model");
    expect(await cached({ ...kept, now: NOW + 299_999 }, may)).toBe("cache");
    expect(asked).toHaveLength(1);
    expect(await cached({ ...kept, now: NOW + 300_000 }, may)).toBe("model");
    kept.gateCache.clear();
    expect(await cached({ ...kept, now: NOW + 300_001 }, may)).toBe("model");
    const off = { retrieval: { gate: { cacheDecisions: false } } };
    expect(await cached({ ...kept, now: NOW + 300_002 }, may, off)).toBe("model");
    expect(asked).toHaveLength(4);
  });

  test.each<[string, Partial<RetrieveSetup>]>([
    ["title", { shape: { ...OTHER, title: "Import all the rest" } }],
    ["body", { shape: { ...OTHER, body: "There is more" } }],
    ["pull request", { shape: { ...OTHER, number: 13 } }],
    ["request by name", { shape: { ...OTHER, explicit: true } }],
    ["set of files", { shape: { ...OTHER, files: { ...OTHER.files, "content/part8.yaml": " a\n+b" } } }],
    ["memory", { shelved: [...SOME, at("mem_3", 0.1)] }],
    ["version of memory", { recall: { version: async () => 2 } }],
    ["configuration", { retrieval: { gate: { confidenceThreshold: 0.6 } } }],
  ])("hold for the same question only: another %s is another [001-02][001-17]", async (_, more) => {
    const settings = { gateCache: newGateCache() };
    const may = model(SKIP);
    expect(await cached(settings, may)).toBe("model");
    expect(await cached(settings, may, more)).not.toBe("cache");
    expect(await cached(settings, may)).toBe("cache");
  });
});

test("deciding asks memory for its counts and its version side by side, and nothing else [001-02][001-20]", async () => {
  const open: string[] = [];
  let together = 0;
  const slowly =
    <T>(name: string, value: T) =>
    async () => {
      open.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      together = Math.max(together, open.length);
      open.pop();
      return value;
    };
  const real = memoryStore(SOME);
  const counts = await real.counts({ repo: "github.com/42", ownerPool: null, excludePull: null, before: null });
  const asking = embedder();
  const recall = { counts: slowly("counts", counts), version: slowly("version", 1) };
  const { gate } = await enter({ shape: LOCK, shelved: SOME, embedder: asking, recall });
  expect(gate.retrieve).toBe(false);
  expect(together).toBe(2);
  expect(asking.asked).toEqual([]);
});
