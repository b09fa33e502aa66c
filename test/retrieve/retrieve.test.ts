// The room through its door, against a fake shelf and a fake embedder: what a pull request hears of
// the past.
import { describe, expect, test } from "vitest";
import { defaultKnowledge, Knowledge } from "../../src/config/knowledge.ts";
import { buildRetrievalContextSection } from "../../src/domain/memory/precedent-section.ts";
import type { Precedents } from "../../src/domain/retrieval.ts";
import type { Embedder, Recall, Reranker } from "../../src/ports/memory.ts";
import { newGateCache } from "../../src/retrieve/gate/evaluate-gate.ts";
import { OF_THE_CHANGE, type RetrieveSettings, retrieve, UNAIDED } from "../../src/retrieve/retrieve.ts";
import {
  added,
  atDistance,
  embedder,
  given,
  memory,
  memoryStore,
  NOW,
  REPO,
  type Shape,
  type Shelved,
} from "./retrieve-builders.ts";
import { factorOf } from "./retrieve-harness.ts";

const CPP: Shape = {
  title: "feat: round prices in the cart",
  files: { "src/cart/price.cpp": added("double total = std::round(price * 100) / 100;", "return total;") },
};

type Wish = Parameters<typeof Knowledge.parse>[0];

interface World {
  readonly shape?: Shape;
  readonly shelved: readonly Shelved[];
  readonly recall?: Partial<Recall>;
  readonly embedder?: Embedder | null;
  readonly reranker?: Reranker;
  readonly knowledge?: Wish;
  readonly settings?: Partial<RetrieveSettings>;
}

async function run({ shape = CPP, shelved, recall, knowledge = {}, settings = {}, ...world }: World) {
  const { context, signals } = given(shape);
  const ports = {
    ...UNAIDED,
    embedder: world.embedder === undefined ? embedder() : world.embedder,
    recall: memoryStore(shelved, recall),
    reranker: world.reranker ?? null,
  };
  const set = {
    ...OF_THE_CHANGE,
    knowledge: Knowledge.parse(knowledge),
    now: NOW,
    tuning: { shadowShare: 0 },
    ...settings,
  };
  const precedents = await retrieve(context, signals, ports, set);
  return { precedents, context, memoryStore: ports.recall };
}

const ids = ({ ranked }: Precedents) => ranked.map(({ record }) => record.id);
const at = (id: string, distance: number, more: Parameters<typeof memory>[1] = {}): Shelved => ({
  record: memory(id, more),
  vector: atDistance(distance),
});
const retrieval = (wish: object): Wish => ({ retrieval: wish });
const THIRTY = Array.from({ length: 30 }, (_, i) => at(`mem_${i}`, 0.1 + i / 1000));

describe("what is used", () => {
  const PAIR = [at("mem_python", 0.2, { language: "python" }), at("mem_cpp", 0.2, { language: "cpp" })];

  test("a memory about C++ comes before one about Python that is just as near, and the other's score is untouched [004-21]", async () => {
    for (const shelved of [PAIR, PAIR.toReversed()]) {
      const { precedents } = await run({ shelved, settings: { tuning: { factors: ["language"] } } });
      expect(ids(precedents)).toEqual(["mem_cpp", "mem_python"]);
      const [cpp, python] = precedents.ranked;
      expect(cpp).toMatchObject({
        languageMatch: true,
        distance: expect.closeTo(0.2, 5),
      });
      expect(python).toMatchObject({ languageMatch: false });
      expect(cpp && factorOf(cpp, "language")).toBeCloseTo(1.25, 12);
      expect(python && factorOf(python, "language")).toBe(1);
    }
  });

  test("eighty per cent C++ lifts C++ memories more than twenty per cent Python lifts Python's", async () => {
    const lines = (count: number) => added(...Array.from({ length: count }, (_, i) => `x${i} = 1;`));
    const shape = { title: "feat: both", files: { "src/a.cpp": lines(8), "tools/b.py": lines(2) } };
    const { precedents } = await run({ shape, shelved: PAIR });
    const factor = (id: string) =>
      precedents.ranked.flatMap((one) => (one.record.id === id ? [factorOf(one, "language")] : []))[0];
    expect(factor("mem_cpp")).toBeCloseTo(1.2, 12);
    expect(factor("mem_python")).toBeCloseTo(1.05, 12);
  });

  test("by meaning alone the adjusted distance orders and raw distances stay beside it", async () => {
    const shelved = [at("mem_python", 0.19, { language: "python" }), at("mem_cpp", 0.21, { language: "cpp" })];
    const { precedents } = await run({
      shelved,
      knowledge: retrieval({ method: "semantic" }),
      settings: { tuning: { factors: ["language"] } },
    });
    expect(ids(precedents)).toEqual(["mem_cpp", "mem_python"]);
    expect(precedents.ranked[0]).toMatchObject({
      distance: expect.closeTo(0.21, 5),
      adjustedDistance: expect.closeTo(0.21 * 0.85, 5),
    });
    expect(precedents.ranked[1]).toMatchObject({ adjustedDistance: expect.closeTo(0.19, 5) });
    expect(precedents.provenance.method).toBe("semantic");
  });

  test("the fused order is made of raw ranks: distances are not weighed by language before they are fused", async () => {
    const shelved = [at("mem_python", 0.19, { language: "python" }), at("mem_cpp", 0.21, { language: "cpp" })];
    const { precedents } = await run({ shelved });
    const found = new Map(precedents.ranked.map((one) => [one.record.id, one]));
    expect(found.get("mem_python")).toMatchObject({ vectorRank: 1, adjustedDistance: null });
    expect(found.get("mem_cpp")).toMatchObject({ vectorRank: 2, adjustedDistance: null });
  });

  test("a memory that only words find is used when the words are rare, and not when they are common [000-25]", async () => {
    const shelved = [
      { record: memory("mem_words", { text: "std::round rounds price half away from zero in the cart" }) },
      { record: memory("mem_common", { text: "the total" }) },
      ...Array.from({ length: 40 }, (_, i) => at(`mem_far_${i}`, 0.9, { text: `the total ${i}` })),
    ];
    const { precedents } = await run({ shelved });
    expect(ids(precedents)).toEqual(["mem_words"]);
    expect(precedents.ranked[0]).toMatchObject({ distance: null, vectorRank: null });
    expect(precedents.cut.find(({ id }) => id === "mem_common")?.reason).toBe("shares too few rare words");
    expect(precedents.cut.find(({ id }) => id === "mem_far_0")?.reason).toMatch(
      /^distance 0\.900 is over the threshold 0\.300$/,
    );
  });

  test("the configured threshold holds against raw distances, the embedder's own without one", async () => {
    const shelved = [at("mem_near", 0.1), at("mem_far", 0.35, { language: "cpp" })];
    expect(ids((await run({ shelved })).precedents)).toEqual(["mem_near"]);
    expect(
      ids((await run({ shelved, knowledge: retrieval({ distanceThreshold: 0.5 }) })).precedents).toSorted(),
    ).toEqual(["mem_far", "mem_near"]);
    const { precedents } = await run({ shelved, knowledge: retrieval({ distanceThreshold: 0 }) });
    expect(ids(precedents)).toEqual([]);
    expect(precedents.provenance.threshold).toBe(0);
  });

  test("not more than topK, and those over it are reported", async () => {
    const { precedents } = await run({ shelved: THIRTY, knowledge: retrieval({ topK: 3 }) });
    expect(ids(precedents)).toHaveLength(3);
    expect(precedents.cut.filter(({ reason }) => reason === "over the 3 that are used").length).toBeGreaterThan(10);
    expect(precedents.provenance.totalCandidates).toBe(30);
  });

  test("not more characters than the prompt allows, in whole entries [000-32]", async () => {
    const shelved = THIRTY.map(({ record, vector }, i) => ({
      vector,
      record: { ...record, text: `${i} `.repeat(100) },
    }));
    const wishes = [0, 700, 1500, 5000].map((maxContextChars) => retrieval({ maxContextChars, topK: 20 }));
    for (const wish of [{}, ...wishes]) {
      const knowledge = Knowledge.parse(wish);
      const { maxContextChars } = knowledge.retrieval;
      const { precedents } = await run({ shelved, knowledge });
      const section = buildRetrievalContextSection(precedents.ranked, {
        maxChars: maxContextChars,
        delimiter: "=".repeat(40),
        repo: "acme/shop",
      });
      expect(section.length).toBeLessThanOrEqual(maxContextChars);
      expect(section.split("\n").filter((line) => line.startsWith("- mem_"))).toHaveLength(precedents.ranked.length);
    }
  });

  test("a duplicate is used once, with its other places", async () => {
    const text = "Close the response body before returning";
    const { precedents } = await run({
      shelved: [at("mem_a", 0.1, { text }), at("mem_b", 0.2, { text, corpus: "finding" })],
    });
    expect(ids(precedents)).toEqual(["mem_a"]);
    expect(precedents.ranked[0]?.alternateSources).toEqual(["[finding: mem_b]"]);
    expect(precedents.cut).toContainEqual({ id: "mem_b", reason: "duplicate of mem_a" });
  });

  test("a comment about code like a changed hunk is kept for the summary", async () => {
    const { precedents } = await run({ shelved: [at("mem_a", 0.05, { outcome: "fixed" }), at("mem_b", 0.29)] });
    expect(precedents.seenBefore).toEqual([
      expect.objectContaining({
        memoryId: "mem_a",
        path: "src/cart/price.cpp",
        outcome: "fixed",
        date: "2026-10-22",
        similarity: expect.closeTo(0.95, 5),
      }),
    ]);
  });

  test("a fix over many files looks at the same folder first [003-40]", async () => {
    const files = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`src/cart/part${i}.ts`, added("a")]));
    const shelved = [at("mem_other", 0.2, { path: "src/pay/a.ts" }), at("mem_same", 0.2, { path: "src/cart/old.ts" })];
    const { precedents } = await run({ shape: { title: "fix: rounding", files }, shelved });
    expect(precedents.gate.strategy).toBe("related-files");
    expect(precedents.ranked[0]).toMatchObject({ record: { id: "mem_same" } });
    expect(precedents.ranked.map((one) => factorOf(one, "related files").toFixed(6))).toEqual(["1.200000", "1.000000"]);
  });

  test("the strategy changes the order: a change with names in it trusts words more, a risky one nearness [001-19][001-21]", async () => {
    const shelved = [
      at("mem_near", 0, { text: "zymurgy quux", path: "src/other.cpp", language: "python" }),
      at("mem_word", 0.29, { text: "rounding half away from zero", path: "lib/a.py", language: "python" }),
    ];
    const names = ["a", "b", "c", "d", "e", "f"].map((name) => [`src/${name}.cpp`, added("x = 1;")]);
    const files = Object.fromEntries(names);
    const title = "feat: rounding half away from zero in `Price`";
    const { precedents } = await run({ shape: { title, files }, shelved });
    expect([precedents.gate.strategy, ids(precedents)]).toEqual(["keyword", ["mem_word", "mem_near"]]);
    const risky = await run({ shape: { title, files: { ...files, "src/auth/login.cpp": added("int a;") } }, shelved });
    expect([risky.precedents.gate.strategy, ids(risky.precedents)]).toEqual(["semantic", ["mem_near", "mem_word"]]);
  });

  test("weights of the weighted fusion reach the order, 0 included", async () => {
    const shelved = [
      at("mem_near", 0.05, { text: "nothing in common" }),
      at("mem_word", 0.25, { text: "round prices in the cart with std::round" }),
    ];
    const weighted = (semantic: number, keyword: number) =>
      run({ shelved, knowledge: retrieval({ fusion: "weighted", weights: { semantic, keyword } }) });
    expect(ids((await weighted(1, 0)).precedents)[0]).toBe("mem_near");
    expect(ids((await weighted(0, 1)).precedents)[0]).toBe("mem_word");
  });

  test("by default the shipped table orders: comments on the changed file come before a nearer stranger", async () => {
    const shelved = [
      at("mem_far", 0.15, { path: "docs/other.rb", language: "ruby" }),
      at("mem_here", 0.2, { path: "src/a.cpp", language: "cpp" }),
    ];
    const shape = { title: "feat: both", files: { "src/a.cpp": added("x = 1;", "y = 2;") } };
    const { precedents } = await run({ shape, shelved });
    expect(ids(precedents)).toEqual(["mem_here", "mem_far"]);
    expect(precedents.degraded).toEqual([]);
  });
});

describe("what a reranker changes", () => {
  /** Prefers what stands last; remembers what it was asked. */
  function backwards() {
    const asked: { query: string; candidates: number; topK: number }[] = [];
    const reranker: Reranker = {
      name: "judge-1",
      rerank: async (query, candidates, topK) => {
        asked.push({ query, candidates: candidates.length, topK });
        const scores = new Map(candidates.map(({ id }, place) => [id, place]));
        return { scores, tokens: 10, usd: 0.001, ms: 3, failed: null };
      },
    };
    return { reranker, asked };
  }

  /** Too many files for words alone, and no name in the title. */
  const WIDE: Shape = {
    ...CPP,
    files: {
      ...CPP.files,
      ...Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`src/${name}.cpp`, added("x")])),
    },
  };
  const wide = (more: Partial<World> = {}) => run({ shape: WIDE, shelved: THIRTY, ...more });

  test("it decides which of many results are used, and its effect is reported", async () => {
    const { reranker, asked } = backwards();
    const plain = (await wide()).precedents;
    const { precedents } = await wide({ reranker });
    expect(plain.rerank).toBeNull();
    expect(ids(precedents).toSorted()).not.toEqual(ids(plain).toSorted());
    expect(precedents.rerank).toMatchObject({ by: "judge-1", failed: null });
    expect(precedents.rerank?.topChanged).toBeGreaterThan(0);
    expect(precedents.rerank?.tokens).toBe(asked.length * 10);
    expect(asked.map(({ query }) => query)).toEqual(precedents.query?.variants.map(({ text }) => text));
    for (const { topK, candidates } of asked) expect([topK, candidates > 5]).toEqual([5, true]);
    expect(precedents.degraded).toEqual([]);
  });

  test("a memory beyond the threshold is not used however much the reranker likes it", async () => {
    const shelved = [...THIRTY, at("mem_far", 0.9, { text: "far" })];
    const { precedents } = await wide({ shelved, reranker: backwards().reranker });
    expect(ids(precedents)).not.toContain("mem_far");
  });

  test("it is not asked when the repository wants none, or the gate skips", async () => {
    const { reranker, asked } = backwards();
    await wide({ reranker, knowledge: retrieval({ rerank: "off" }) });
    await run({ shape: { title: "Refresh", files: { "package-lock.json": " {\n+a" } }, shelved: THIRTY, reranker });
    expect(asked).toEqual([]);
  });

  test("without an answer the order stays, and the review says so", async () => {
    const silent: Reranker = { name: "judge-1", rerank: () => Promise.reject(new Error("pa-secret")) };
    const plain = (await wide()).precedents;
    const { precedents } = await wide({ reranker: silent });
    expect(ids(precedents)).toEqual(ids(plain));
    expect(precedents.degraded).toEqual([{ part: "rerank", reason: "the reranker failed" }]);
  });
});

describe("how memory is asked", () => {
  test("all texts of a review are embedded in one request, each once, as queries [000-11]", async () => {
    const asking = embedder();
    await run({ shelved: THIRTY, embedder: asking });
    expect(asking.asked).toHaveLength(1);
    const { texts, kind } = asking.asked[0] ?? { texts: [], kind: "" };
    expect(kind).toBe("query");
    expect(texts.length).toBeGreaterThanOrEqual(4);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts[0]?.split("\n")[0]).toBe("feat: round prices in the cart");
  });

  test("every list is fetched at least fifty deep, and code is not searched [003-13]", async () => {
    const asked: unknown[] = [];
    const spy = async (_scope: unknown, wanted: readonly unknown[], ...parts: readonly unknown[]) => {
      asked.push(...wanted.map(() => parts.slice(-3, -1)));
      return wanted.map(() => []);
    };
    await run({ shelved: THIRTY, recall: { nearest: spy, matching: spy }, knowledge: retrieval({ topK: 1 }) });
    expect(asked.length).toBeGreaterThan(4);
    for (const parts of asked) expect(parts).toEqual([50, { corpora: ["finding", "review_comment", "doc", "wiki"] }]);
  });

  test("by words alone nothing is embedded; by meaning alone no words are asked", async () => {
    const asking = embedder();
    const byWords = await run({ shelved: THIRTY, embedder: asking, knowledge: retrieval({ method: "keyword" }) });
    expect(asking.asked).toEqual([]);
    expect(byWords.memoryStore.asked).not.toContain("nearest");
    expect(byWords.precedents.degraded).toEqual([]);
    const byMeaning = await run({ shelved: THIRTY, knowledge: retrieval({ method: "semantic" }) });
    expect(byMeaning.memoryStore.asked).not.toContain("matching");
  });

  test("asking twice gives the same answer", async () => {
    const [once, again] = [await run({ shelved: THIRTY }), await run({ shelved: THIRTY.toReversed() })];
    expect(again.precedents).toEqual(once.precedents);
  });
});

describe("when memory cannot help", () => {
  const LOCK: Shape = { title: "Refresh", files: { "package-lock.json": " {\n+a" } };

  test("a skip embeds nothing, searches nothing, and says why", async () => {
    const asking = embedder();
    const { precedents, memoryStore: asked } = await run({ shape: LOCK, shelved: THIRTY, embedder: asking });
    expect(precedents).toMatchObject({
      query: null,
      ranked: [],
      gate: { retrieve: false, decidedBy: "lock-files" },
      degraded: [],
    });
    expect(asking.asked).toEqual([]);
    expect(asked.asked.toSorted()).toEqual(["counts", "version"]);
  });

  test("a sampled skip is searched, puts nothing into the prompt and records what it would have", async () => {
    const { precedents } = await run({
      shape: { ...LOCK, title: "Refresh" },
      shelved: THIRTY,
      settings: { tuning: { shadowShare: 1 } },
    });
    expect(precedents).toMatchObject({ ranked: [], seenBefore: [], gate: { retrieve: false } });
    expect(precedents.cut.filter(({ reason }) => reason.startsWith("shadow sample:"))).toHaveLength(5);
  });

  test("of skips one in twenty is searched [001-26]", async () => {
    let searched = 0;
    for (let number = 1; number <= 400; number += 1) {
      const shape = { ...LOCK, title: "Refresh", number };
      const { memoryStore: asked } = await run({
        shape,
        shelved: THIRTY.slice(0, 1),
        embedder: null,
        settings: { tuning: {} },
      });
      if (asked.asked.includes("matching")) searched += 1;
    }
    expect(searched).toBeGreaterThanOrEqual(10);
    expect(searched).toBeLessThanOrEqual(30);
  });

  test("an empty memory is not searched", async () => {
    const asking = embedder();
    const { precedents } = await run({ shelved: [], embedder: asking, settings: { tuning: { shadowShare: 1 } } });
    expect(precedents).toMatchObject({ ranked: [], gate: { decidedBy: "empty-memory", confidence: 1 }, degraded: [] });
    expect(asking.asked).toEqual([]);
  });

  test("switched off it asks nothing at all", async () => {
    const { precedents, memoryStore: asked } = await run({ shelved: THIRTY, knowledge: retrieval({ enabled: false }) });
    expect(precedents).toMatchObject({
      ranked: [],
      gate: { retrieve: false, reason: "knowledge.retrieval.enabled is false" },
    });
    expect(asked.asked).toEqual([]);
  });

  test("a pattern of the configuration reaches the gate", async () => {
    const { precedents } = await run({
      shelved: THIRTY,
      knowledge: retrieval({ gate: { skipPatterns: ["^src/cart/"] } }),
    });
    expect(precedents.gate).toMatchObject({ retrieve: false, decidedBy: "skip-pattern" });
  });

  test("a decision is remembered between two reviews of the same head", async () => {
    const settings = { gateCache: newGateCache() };
    await run({ shelved: THIRTY, settings });
    const { precedents } = await run({ shelved: THIRTY, settings });
    expect(precedents.gate.decidedBy).toBe("cache");
    expect(ids(precedents)).toHaveLength(5);
  });
});

describe("whose memory", () => {
  const PATTERN = "Please close the connection before the function returns, also when an error is thrown.";
  const pay = { repo: "github.com/43", repoName: "acme/pay", text: PATTERN, sharing: "given" } as const;
  const shelved = [
    at("mem_own", 0.1),
    at("mem_pay", 0.12, pay),
    at("mem_stranger", 0.1, { repo: "github.com/99", ownerId: 8, visibility: "public" }),
  ];

  test("another repository's memory is absent, unless its owner shares it", async () => {
    const alone = (await run({ shelved })).precedents;
    expect(ids(alone)).toEqual(["mem_own"]);
    expect(alone.provenance).toMatchObject({ repoSources: ["acme/shop"], sharedPoolUsed: false });
    const shared = (await run({ shelved, knowledge: { sharing: { takes: true } } })).precedents;
    expect(ids(shared).toSorted()).toEqual(["mem_own", "mem_pay"]);
    expect(shared.provenance).toMatchObject({ sharedPoolUsed: true });
    expect(shared.provenance.repoSources.toSorted()).toEqual(["acme/shop", "another repository of this owner"]);
    const { sharing: _, ...kept } = pay;
    const ungiven = [at("mem_own", 0.1), at("mem_pay", 0.12, kept)];
    expect(ids((await run({ shelved: ungiven, knowledge: { sharing: { takes: true } } })).precedents)).toEqual([
      "mem_own",
    ]);
  });

  test("a memory that is all code and names stays, and it is said why", async () => {
    const code = at("mem_pay", 0.12, { ...pay, text: "`PAYMENT_KEY = 4711` in src/pay/vault.ts" });
    const { precedents } = await run({ shelved: [code], knowledge: { sharing: { takes: true } } });
    expect(precedents.cut).toEqual([
      { id: "mem_pay", reason: "nothing abstract is left without its code, names and quotes" },
    ]);
    expect(JSON.stringify(precedents)).not.toMatch(/4711|vault/);
  });

  test("language weighs a shared memory like one of our own [000-26]", async () => {
    const both = [at("mem_own", 0.1, { language: "cpp" }), at("mem_pay", 0.1, { ...pay, language: "cpp" })];
    const { precedents } = await run({ shelved: both, knowledge: { sharing: { takes: true } } });
    expect(precedents.ranked.map((one) => factorOf(one, "language").toFixed(6))).toEqual(["1.250000", "1.250000"]);
  });

  test("a store that ignores its scope still cannot bring a private memory into a public review", async () => {
    const all = new Map(shelved.map(({ record }) => [record.id, record]));
    const leaky = {
      nearest: async (_: unknown, vectors: readonly Float32Array[]) =>
        vectors.map(() => [...all.keys()].map((id) => ({ id, distance: 0.1 }))),
      records: async (_: unknown, wanted: readonly string[]) => wanted.flatMap((id) => all.get(id) ?? []),
    };
    const shape = { ...CPP, repo: { ...REPO, visibility: "public" as const } };
    const { precedents } = await run({ shape, shelved, recall: leaky, knowledge: { sharing: { takes: true } } });
    expect(ids(precedents)).toEqual(["mem_own"]);
  });

  test("nothing that this pull request said about itself [002-37]", async () => {
    const own = at("mem_self", 0.01, { provenance: { ...memory("x").provenance, pull: 12 } });
    const { precedents, memoryStore: asked } = await run({ shelved: [own, at("mem_own", 0.1)] });
    expect(ids(precedents)).toEqual(["mem_own"]);
    expect(asked.scopes.every(({ excludePull }) => excludePull === 12)).toBe(true);
  });

  test("what was said about C++ reaches PHP when it is the same pattern", async () => {
    const shape = {
      title: "feat: search",
      files: { "src/search.php": added('$sql = "select * from t where a = " . $a;') },
    };
    const { precedents } = await run({
      shape,
      shelved: [at("mem_sql", 0.1, { language: "python", text: "SQL built by concatenation" })],
    });
    expect(ids(precedents)).toEqual(["mem_sql"]);
  });
});

describe("when something fails, the rest goes on and says so", () => {
  const fails = async (): Promise<never> => {
    throw new Error("connection refused");
  };
  const words = { record: memory("mem_words", { text: "std::round rounds price half away from zero in the cart" }) };
  const shelved = [at("mem_near", 0.1, { text: "unrelated" }), words];

  test("the embedder is down: words still answer [003-24]", async () => {
    const down = embedder(async (texts) => ({
      vectors: texts.map(() => null),
      tokens: 0,
      usd: 0,
      cached: 0,
      failed: null,
    }));
    for (const broken of [down, embedder(fails)]) {
      const { precedents } = await run({ shelved, embedder: broken });
      expect(ids(precedents)).toEqual(["mem_words"]);
      expect(precedents.provenance.method).toBe("keyword");
      expect(precedents.degraded.map(({ part }) => part)).toEqual(["embedding"]);
    }
  });

  test("there is no embedder, or the configuration wants none: words answer, also where meaning was asked for", async () => {
    const without = (await run({ shelved, embedder: null, knowledge: retrieval({ method: "semantic" }) })).precedents;
    expect(ids(without)).toEqual(["mem_words"]);
    expect(without.degraded).toEqual([{ part: "embedding", reason: "no embedder; memory was searched by words" }]);
    const off = (await run({ shelved, knowledge: { embeddings: "off" } })).precedents;
    expect(off.degraded.map(({ part }) => part)).toEqual(["embedding"]);
  });

  test("a part of the texts has no vector: the others are searched by meaning", async () => {
    const half = embedder(async (texts) => ({
      vectors: texts.map((_, i) => (i === 0 ? null : Float32Array.of(1, 0))),
      tokens: 0,
      usd: 0,
      cached: 0,
      failed: null,
    }));
    const { precedents } = await run({ shelved, embedder: half });
    expect(ids(precedents)).toContain("mem_near");
    expect(precedents.degraded[0]?.reason).toMatch(/^1 of \d queries could not be embedded$/);
  });

  test("the search by vectors is down: words only [003-25]", async () => {
    const { precedents } = await run({ shelved, recall: { nearest: fails } });
    expect(ids(precedents)).toEqual(["mem_words"]);
    expect(precedents.provenance.method).toBe("keyword");
    expect(precedents.degraded).toEqual([{ part: "vector-search", reason: "connection refused" }]);
  });

  test.each([
    ["an embedder that measures", 1],
    ["the keyless one", 0.25],
  ])("the search by words is down: vectors of %s only, by their distance [003-26]", async (_, weight) => {
    const far = at("mem_far", 0.4, { text: "unrelated as well" });
    const asking = { ...embedder(), weight };
    const { precedents } = await run({ shelved: [...shelved, far], recall: { matching: fails }, embedder: asking });
    expect(ids(precedents)).toEqual(["mem_near"]);
    expect(precedents.degraded.map(({ part }) => part)).toEqual(["keyword-search"]);
  });

  test("the reason why the queries could not be embedded is reported once", async () => {
    const failed = "the service answered 500 (6 of 6 texts without a vector)";
    const embed: Embedder["embed"] = async (texts) => ({
      vectors: texts.map(() => null),
      tokens: 0,
      usd: 0,
      cached: 0,
      failed,
    });
    const { precedents } = await run({ shelved, embedder: embedder(embed) });
    expect(precedents.degraded).toEqual([{ part: "embedding", reason: `queries could not be embedded: ${failed}` }]);
  });

  test("a memory that is off is asked nothing and reported in one line", async () => {
    const { precedents, memoryStore: asked } = await run({ shelved, recall: { off: "memory.db could not be opened" } });
    expect(asked.asked).toEqual([]);
    expect(precedents).toMatchObject({
      ranked: [],
      gate: { retrieve: false, decidedBy: "memory" },
      degraded: [{ part: "memory", reason: "memory.db could not be opened" }],
    });
  });

  test("the store's notes about its answers are reported, each once, beside the answers", async () => {
    const tells = (part: string): Recall["matching"] & Recall["nearest"] =>
      (async (...asked: readonly unknown[]) => {
        (asked.at(-1) as (part: string, reason: string) => void)(part, `${part} is not what it should be`);
        return (asked[1] as readonly unknown[]).map(() => []);
      }) as Recall["matching"] & Recall["nearest"];
    const { precedents } = await run({
      shelved,
      recall: { nearest: tells("stale-vectors"), matching: tells("keyword-search") },
    });
    // Words do not wait for the embedder.
    expect(precedents.degraded).toEqual([
      { part: "keyword-search", reason: "keyword-search is not what it should be" },
      { part: "stale-vectors", reason: "stale-vectors is not what it should be" },
    ]);
  });

  test("records cannot be read: nothing is used, and the review goes on", async () => {
    const { precedents } = await run({ shelved, recall: { records: fails } });
    expect(precedents).toMatchObject({
      ranked: [],
      degraded: [{ part: "memory-records", reason: "connection refused" }],
    });
  });

  test("memory cannot be counted: it is searched anyway", async () => {
    const { precedents } = await run({ shelved, recall: { counts: fails, version: fails } });
    expect(ids(precedents)).toContain("mem_near");
    expect(precedents.degraded.map(({ part }) => part)).toEqual(["memory-counts", "memory-version"]);
  });

  test("everything is down: an empty answer that names every part", async () => {
    const recall = { nearest: fails, matching: fails, records: fails, counts: fails, version: fails };
    const { precedents } = await run({ shelved, recall, embedder: embedder(fails) });
    expect(precedents.ranked).toEqual([]);
    expect(precedents.degraded.map(({ part }) => part)).toEqual([
      "memory-counts",
      "memory-version",
      "embedding",
      "keyword-search",
    ]);
  });

  test("a defect of our own in the ranking costs the precedents, not the review", async () => {
    const factors = new Proxy([], {
      get() {
        throw new TypeError("x is not a function");
      },
    });
    const { precedents } = await run({ shelved, settings: { tuning: { shadowShare: 0, factors } } });
    expect(precedents).toMatchObject({
      ranked: [],
      gate: { retrieve: true },
      degraded: [{ part: "retrieval", reason: "x is not a function" }],
    });
  });
});

test("the settings of a repository without any are those that are documented [000-27]", () => {
  expect(defaultKnowledge()).toEqual({
    sharing: { gives: false, takes: false },
    embeddings: "auto",
    corpora: { docs: true },
    describe: "off",
    retrieval: {
      enabled: true,
      topK: 5,
      distanceThreshold: "auto",
      maxContextChars: 2000,
      queryChars: 600,
      minKeywordLength: 3,
      sourceWeights: {},
      method: "hybrid",
      fusion: "learned",
      weights: { semantic: 0.7, keyword: 0.3 },
      rerank: "auto",
      modelQueries: false,
      hypothetical: false,
      gate: {
        enabled: true,
        model: false,
        confidenceThreshold: 0.7,
        cacheDecisions: true,
        cacheTTLSeconds: 300,
        maxInputTokens: 500,
        skipPatterns: [],
        retrievePatterns: [],
      },
    },
  });
});
