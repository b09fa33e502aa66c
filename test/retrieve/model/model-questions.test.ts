// What the retrieve stage asks of a language model where the configuration lets it: more queries, a
// made-up situation, an order.
import { describe, expect, test } from "vitest";
import type { Precedents } from "../../../src/domain/retrieval.ts";
import { failure, type Script, scriptedModel, textOf } from "../../fakes/scripted-model.ts";
import { added, atDistance, embedder, memory, type Shape, type Shelved } from "../retrieve-builders.ts";
import { at, enter, ids, type RetrieveSetup } from "../retrieve-harness.ts";

const CART: Shape = {
  title: "feat: round prices in the cart",
  body: "Totals were off by a cent.",
  files: Object.fromEntries(
    ["a", "b", "c", "d", "e", "f"].map((name) => [`src/cart/${name}.ts`, added(`total(${name});`)]),
  ),
};
const PATTERNS = {
  code: ["Loop rounds each amount before they are added up and loses the rest"],
  convention: ["Helper is written anew beside one that the module already offers"],
  operational: ["Background job repeats without an upper bound while the service is down"],
};
const SITUATION =
  "A helper rounds each amount in a loop before the amounts are added up. The gap is that small errors add up to a wrong total.";
const MANY: readonly Shelved[] = Array.from({ length: 24 }, (_, place) =>
  at(`m${place}`, 0.05 + place / 100, { text: `round prices of cart ${place}` }),
);

/** Answers each kind of question as said; an order prefers what stands last. */
const willing: Script = ({ purpose, system, user }) => {
  if (purpose === "rerank")
    return { order: [...textOf(user).matchAll(/^\[(\d+)\] /gm)].map(([, at]) => Number(at)).reverse() };
  return textOf(system).includes("Exactly two sentences") ? { situation: SITUATION } : PATTERNS;
};

/**
 * The stage with a model, and what it was asked. The order of a model, which is the default, has
 * tests of its own.
 */
async function asking(
  { rerank = "off", ...retrieval }: Record<string, unknown>,
  script: Script,
  more: Partial<RetrieveSetup> = {},
  settings = {},
) {
  const access = scriptedModel(script, settings);
  const embeds = embedder();
  const asked = { ...retrieval, rerank };
  const precedents = await enter({ shape: CART, shelved: MANY, embedder: embeds, access, retrieval: asked, ...more });
  return { precedents, asked: access.asked, embedded: embeds.asked };
}

const kinds = ({ query }: Precedents) => query?.variants.map(({ kind }) => kind) ?? [];
const textsOf = (precedents: Precedents, kind: string) =>
  precedents.query?.variants.filter((variant) => variant.kind === kind).map(({ text }) => text) ?? [];

test("by default a model is asked for an order and for nothing else; without one nothing is missing [003-17]", async () => {
  const access = scriptedModel(willing);
  const precedents = await enter({ shape: CART, shelved: MANY, embedder: embedder(), access });
  expect(access.asked.map(({ purpose }) => purpose)).toEqual(["rerank"]);
  expect(precedents).toMatchObject({ degraded: [], rerank: { failed: null } });
  const keyless = await enter({ shape: CART, shelved: MANY, embedder: embedder() });
  expect(keyless).toMatchObject({ modelCosts: [], degraded: [], rerank: null });
});

describe("queries that a model writes", () => {
  test("are embedded in the same request as the change's own, and find what those do not [002-10]", async () => {
    const far = { record: memory("mem_bound", { text: "background job repeats while service is down" }) };
    const shelved = [...MANY.slice(0, 3), far];
    const retrieval = { modelQueries: true, distanceThreshold: 2 };
    const { precedents, asked, embedded } = await asking(retrieval, willing, {
      shelved,
      tuning: { leastProbability: 0 },
    });
    expect(textsOf(precedents, "pattern")).toEqual(Object.values(PATTERNS).flat());
    expect(kinds(precedents).slice(0, 3)).toEqual(["intent", "paths", "code"]);
    expect(embedded).toHaveLength(1);
    expect(embedded[0]?.texts).toEqual(precedents.query?.variants.map(({ text }) => text));
    expect(ids(precedents)).toContain("mem_bound");
    const without = await asking({ distanceThreshold: 2 }, willing, { shelved, tuning: { leastProbability: 0 } });
    expect(ids(without.precedents)).not.toContain("mem_bound");
    expect(asked).toMatchObject([{ purpose: "queries", tier: "small", effort: "low" }]);
    expect(precedents.modelCosts).toEqual([
      { purpose: "queries", questions: 1, inputTokens: 1200, outputTokens: 300, usd: (1200 * 2 + 300 * 10) / 1e6 },
    ]);
  });

  test("are asked with five memories as examples, the same ones each time, and none of the pull request itself [002-12]", async () => {
    const own = at("own", 0.01, { text: "round prices of the cart, said here", provenance: { pull: 12 } as never });
    const doc = at("doc", 0.01, { corpus: "doc", text: "round prices of the cart, as documented" });
    const shown = async (shelved: readonly Shelved[], shape: Shape = CART) => {
      const { asked } = await asking({ modelQueries: true }, willing, { shelved, shape });
      return textOf(asked[0]?.user ?? []).match(/^- .*$/gm) ?? [];
    };
    const first = await shown([...MANY, own, doc]);
    expect(first).toHaveLength(5);
    expect(first.every((line) => /^- round prices of cart \d+$/.test(line))).toBe(true);
    expect(await shown([...MANY].reverse())).toEqual(first);
    expect(await shown(MANY, { ...CART, number: 13 })).not.toEqual(first);
    expect(await shown([{ record: memory("mem_other", { text: "unlike" }), vector: atDistance(0.1) }])).toEqual([]);
  });

  test("are written in the longer form where a measurement asks for it [002-11]", async () => {
    const tuning = { queryLength: { least: 20, most: 50 } };
    const { asked } = await asking({ modelQueries: true }, willing, { tuning });
    expect(textOf(asked[0]?.system ?? [])).toContain("20 to 50 words");
  });

  test("say title, description and diff of the change, fenced, and nothing of it among the instructions", async () => {
    const { asked } = await asking({ modelQueries: true }, willing);
    const reported = textOf(asked[0]?.user ?? []);
    expect(reported).toContain("Title: feat: round prices in the cart");
    expect(reported).toContain("Totals were off by a cent.");
    expect(reported).toContain("+total(f);");
    expect(reported.match(/^kodiai-[0-9a-f]{32} (?:end of )?(?:memories|pull request|diff)$/gm)).toHaveLength(6);
    expect(textOf(asked[0]?.system ?? [])).not.toContain("cart");
  });

  test.each<[string, unknown, RegExp]>([
    ["does not answer", failure("timeout", "no reply within 600 ms"), /no reply within 600 ms$/],
    ["answers without a query", { code: [] }, /holds no query/],
    ["refuses", failure("refused", "the model refused to answer"), /refused/],
  ])(
    "cost themselves only when the model %s: the change's own are used, and the review reports it",
    async (_, reply, reason) => {
      const plain = await asking({}, willing);
      const { precedents } = await asking({ modelQueries: true }, () => reply);
      expect(ids(precedents)).toEqual(ids(plain.precedents));
      expect(kinds(precedents)).toEqual(kinds(plain.precedents));
      expect(precedents.degraded).toEqual([{ part: "model-queries", reason: expect.stringMatching(reason) }]);
    },
  );

  test("are not asked for without a model or without money, and the review reports it", async () => {
    const nobody = await enter({ shape: CART, shelved: MANY, retrieval: { modelQueries: true } });
    expect(nobody.degraded).toEqual([
      { part: "model-queries", reason: expect.stringMatching(/^no model may be asked/) },
    ]);
    expect(ids(nobody)).toHaveLength(5);
    const poor = await asking({ modelQueries: true, hypothetical: true }, willing, { usd: 0.001 });
    expect(poor.asked).toEqual([]);
    expect(poor.precedents.degraded.map(({ part, reason }) => `${part}: ${reason}`).toSorted()).toEqual([
      "hypothetical: the budget leaves no money for it",
      "model-queries: the budget leaves no money for it",
    ]);
  });

  test("are not written when the gate skips", async () => {
    const shape = { title: "Refresh", files: { "package-lock.json": " {\n+a" } };
    const { precedents, asked } = await asking({ modelQueries: true, hypothetical: true, rerank: "model" }, willing, {
      shape,
    });
    expect(precedents.gate.retrieve).toBe(false);
    expect(asked).toEqual([]);
  });
});

describe("a made-up situation", () => {
  /** The situation alone points where the memories are; every other query points away. */
  const pointing = (cosine: number) =>
    embedder(async (texts) => ({
      vectors: texts.map((text) =>
        text === SITUATION ? Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine)) : Float32Array.of(0, 1),
      ),
      tokens: 0,
      usd: 0,
      cached: 0,
      failed: null,
    }));
  const shelved = [{ record: memory("mem_like", { text: "unlike in words" }), vector: Float32Array.of(1, 0) }];
  const retrieval = { hypothetical: true, distanceThreshold: 0.7 };

  test("is searched with by meaning in place of the change itself [002-20]", async () => {
    const { precedents, asked } = await asking(retrieval, willing, { shelved, embedder: pointing(0.9) });
    expect(ids(precedents)).toEqual(["mem_like"]);
    expect(precedents.ranked[0]?.distance).toBeCloseTo(0.1, 5);
    expect(textsOf(precedents, "hypothetical")).toEqual([SITUATION]);
    expect(precedents.query?.dropped.join()).not.toContain("hypothetical");
    expect(asked).toMatchObject([{ purpose: "queries" }]);
    const { precedents: without } = await asking({ distanceThreshold: 0.7 }, willing, {
      shelved,
      embedder: pointing(0.9),
    });
    expect(ids(without)).toEqual([]);
  });

  test("gives way to the change itself when nothing remembered is like it [002-20]", async () => {
    const { precedents } = await asking({ ...retrieval, distanceThreshold: 2 }, willing, {
      shelved,
      embedder: pointing(0.29),
    });
    expect(precedents.query?.dropped.at(-1)).toBe("hypothetical situation: its best similarity 0.29 is under 0.3");
    expect(precedents.ranked[0]?.distance).toBeCloseTo(1, 5);
    expect(precedents.degraded).toEqual([]);
  });

  test("gives way when the model fails, and the review reports it [002-20]", async () => {
    const { precedents } = await asking({ hypothetical: true }, () =>
      failure("overloaded", "the model's server answered 529"),
    );
    expect(ids(precedents)).toEqual(ids((await asking({}, willing)).precedents));
    expect(precedents.degraded).toEqual([
      { part: "hypothetical", reason: "the model did not answer (overloaded): the model's server answered 529" },
    ]);
  });

  test.each<[string, Record<string, unknown>, Partial<RetrieveSetup>]>([
    ["by words", { method: "keyword" }, {}],
    ["without an embedder", {}, { embedder: null }],
  ])("is not asked for when memory is searched %s", async (_, more, room) => {
    const { asked } = await asking({ hypothetical: true, ...more }, willing, room);
    expect(asked).toEqual([]);
  });
});

describe("an order of the model", () => {
  const retrieval = { rerank: "model", topK: 5, maxContextChars: 5000 };

  test("puts twenty and more of a hybrid search in order, and five are used [003-23]", async () => {
    const { precedents, asked } = await asking(retrieval, willing, { tuning: { floors: false } });
    expect(precedents.provenance).toMatchObject({ method: "hybrid", totalCandidates: 24 });
    const shown = textOf(asked[0]?.user ?? []).matchAll(/round prices of cart (\d+)$/gm);
    const order = [...shown].map(([, place]) => `m${place}`);
    // The model has it backwards, and weighs twice as much as the ranking.
    expect(ids(precedents)).toEqual(order.toReversed().slice(0, 5));
    const scores = precedents.ranked.map(({ rerankScore }) => rerankScore);
    expect(scores).toEqual([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]);
    expect(new Set(asked.map(({ purpose }) => purpose))).toEqual(new Set(["rerank"]));
    expect(asked).toHaveLength(1);
    expect(textOf(asked[0]?.user ?? [])).toContain(`Title: ${CART.title}`);
    const { usd, tokens, by, failed } = precedents.rerank ?? {};
    expect({ by, failed, tokens }).toEqual({ by: "scripted-small", failed: null, tokens: 1500 * asked.length });
    expect(usd).toBeCloseTo(((1200 * 2 + 300 * 10) / 1e6) * asked.length, 12);
    expect(precedents.modelCosts).toMatchObject([{ purpose: "rerank", questions: asked.length }]);
  });

  test("takes the place of the server's reranker", async () => {
    const reranker = {
      name: "judge-1",
      rerank: () => Promise.reject(new Error("not to be asked")),
    };
    const { precedents } = await asking(retrieval, willing, { reranker });
    expect(precedents.rerank).toMatchObject({ by: "scripted-small", failed: null });
  });

  test.each<[string, Partial<RetrieveSetup>, Record<string, unknown>]>([
    ["no more are found than are used", { shelved: MANY.slice(0, 5) }, {}],
    ["nothing is remembered", { shelved: [] }, {}],
    ["the configuration says off", {}, { rerank: "off" }],
    ["the configuration turns it off", {}, { rerank: "off" }],
  ])("is not asked for when %s [003-18]", async (_, room, more) => {
    const { precedents, asked } = await asking({ ...retrieval, ...more }, willing, room);
    expect(asked).toEqual([]);
    expect(precedents.rerank).toBeNull();
    expect(precedents.degraded).toEqual([]);
  });

  test("that fails leaves the order as it was, is reported in the review, and costs what it cost [003-20]", async () => {
    const plain = await asking({ topK: 5, maxContextChars: 5000 }, willing);
    for (const reply of [failure("overloaded", "answered 529"), { order: [] }, { order: [99] }]) {
      const { precedents, asked } = await asking(retrieval, () => reply);
      expect(precedents.ranked).toEqual(plain.precedents.ranked);
      expect(precedents.degraded).toMatchObject([{ part: "rerank" }]);
      expect(precedents.rerank?.usd).toBeGreaterThan(0);
      expect(asked).toHaveLength(1);
    }
  });

  test("is made of the best 25, however many more are found", async () => {
    const shelved = Array.from({ length: 40 }, (_, place) => at(`m${place}`, 0.01 * place));
    const { asked } = await asking(retrieval, willing, { shelved, tuning: { floors: false } });
    expect(textOf(asked[0]?.user ?? []).match(/^\[\d+\] /gm)).toHaveLength(25);
  });

  test("is not asked for beyond the budget, and the review reports it", async () => {
    const { precedents, asked } = await asking(retrieval, willing, { usd: 0.003 });
    expect(asked).toEqual([]);
    expect(precedents.degraded).toEqual([
      { part: "rerank", reason: expect.stringMatching(/the budget leaves no money/) },
    ]);
    expect(precedents.rerank?.usd).toBe(0);
  });

  test("without a model leaves the order as it was, and the review reports it", async () => {
    const precedents = await enter({ shape: CART, shelved: MANY, retrieval });
    expect(precedents.degraded).toEqual([{ part: "rerank", reason: expect.stringMatching(/^no model may be asked/) }]);
    expect(precedents.rerank).toBeNull();
  });
});
