// A text that somebody typed, through the door of the stage, against a fake shelf and a fake
// embedder.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type FoundMemory, type HandSearch, mergeFound } from "../../src/domain/memory/search-result.ts";
import { type MemoryFilter, type Precedents, scoreText, termsText } from "../../src/domain/retrieval.ts";
import { searchMemory, UNAIDED } from "../../src/retrieve/retrieve.ts";
import {
  atDistance,
  DAY,
  embedder,
  memory,
  memoryStore,
  NOW,
  REPO,
  rankedMemory,
  type Shelved,
} from "./retrieve-builders.ts";

const near = (id: string, distance: number): Shelved => ({ record: memory(id), vector: atDistance(distance) });

async function run(
  shelved: readonly Shelved[],
  more: Partial<HandSearch> = {},
  text = "always an idempotency key of a charge",
) {
  const recall = memoryStore(shelved);
  const search: HandSearch = {
    repo: REPO,
    method: "hybrid",
    filter: {},
    topK: 10,
    threshold: null,
    rerank: "auto",
    now: NOW,
    ...more,
  };
  return { recall, precedents: await searchMemory(text, search, { ...UNAIDED, embedder: embedder(), recall }) };
}
const ids = ({ precedents }: { readonly precedents: Precedents }) => precedents.ranked.map(({ record }) => record.id);

const CORPUS = [
  near("mem_far", 0.9),
  near("mem_near", 0.1),
  near("mem_middle", 0.5),
  { record: memory("mem_words", { text: "a charge is retried with its idempotency key only" }) },
];

test("without a threshold the embedder's own applies, with the results of words alone beside it", async () => {
  const found = await run(CORPUS);
  expect(ids(found).toSorted()).toEqual(["mem_near", "mem_words"]);
  expect(found.precedents.gate).toMatchObject({ retrieve: true, decidedBy: "disabled" });
  expect(found.precedents.provenance).toMatchObject({ method: "hybrid", scanned: 4 });
});

test("a threshold of 0 admits everything found, and another only memories at least so similar", async () => {
  expect(ids(await run(CORPUS, { threshold: 0 })).toSorted()).toEqual([
    "mem_far",
    "mem_middle",
    "mem_near",
    "mem_words",
  ]);
  expect(ids(await run(CORPUS, { threshold: 0.4 })).toSorted()).toEqual(["mem_middle", "mem_near"]);
  expect(ids(await run(CORPUS, { threshold: 1 }))).toEqual([]);
  // Many near ones make a review stricter; a person who named a figure gets that figure.
  const many = Array.from({ length: 12 }, (_, at) => near(`mem_${at}`, 0.01 * at));
  const found = await run([...many, near("mem_last", 0.55)], { threshold: 0.4, topK: 20 });
  expect(ids(found)).toContain("mem_last");
});

test.each(["semantic", "keyword", "hybrid"] as const)(
  "%s: the best comes first, at most topK, and each score is the sum of its terms",
  async (method) => {
    const best = memory("mem_best", {
      text: "always the idempotency key of a charge",
      outcome: "reintroduced",
      provenance: { at: NOW - DAY },
    });
    const found = await run([...CORPUS, { record: best, vector: atDistance(0) }], {
      method,
      threshold: method === "keyword" ? null : 0,
    });
    const { ranked } = found.precedents;
    expect(ids(found)[0]).toBe("mem_best");
    expect(ranked.length).toBeGreaterThan(1);
    const scores = ranked.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const { score, terms } of ranked) {
      expect(terms.length).toBeGreaterThan(0);
      expect(terms.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 12);
      const shown = termsText(terms).match(/[−+]? ?[\w ]+ \d+\.\d{3}/g) ?? [];
      const sum = shown.reduce(
        (all, one) => all + (one.startsWith("−") ? -1 : 1) * Number(/\d+\.\d{3}$/.exec(one)?.[0]),
        0,
      );
      expect(sum.toFixed(3)).toBe(scoreText(score));
    }
    expect(ids(await run(CORPUS, { method, topK: 1 }))).toHaveLength(1);
  },
);

test("a person sees what shares an everyday word, for which reviews have a floor", async () => {
  const recall = memoryStore(CORPUS, { matching: async () => [[{ id: "mem_words", score: 0.1 }]] });
  const search: HandSearch = {
    repo: REPO,
    method: "keyword",
    filter: {},
    topK: 5,
    threshold: null,
    rerank: "auto",
    now: NOW,
  };
  const found = await searchMemory("idempotency key", search, { ...UNAIDED, recall });
  expect(found.ranked.map(({ record }) => record.id)).toEqual(["mem_words"]);
});

test("a score that rounds to zero has no sign", () => {
  expect([-0.0004, 0, -0.0006, 0.8124].map(scoreText)).toEqual(["0.000", "0.000", "-0.001", "0.812"]);
});

test("filters reach both searches, and without corpora all of them are asked", async () => {
  const seen: MemoryFilter[] = [];
  const recall = memoryStore(CORPUS, {
    nearest: async (_scope, _vector, _space, _k, filter) => {
      seen.push(filter);
      return [];
    },
    matching: async (_scope, _text, _k, filter) => {
      seen.push(filter);
      return [];
    },
  });
  const filter = { languages: ["cpp"], chunkTypes: ["function"], paths: ["src/auth/"] };
  const search: HandSearch = {
    repo: REPO,
    method: "hybrid",
    filter,
    topK: 5,
    threshold: null,
    rerank: "auto",
    now: NOW,
  };
  await searchMemory("locks", search, { ...UNAIDED, embedder: embedder(), recall });
  const corpora = ["finding", "review_comment", "doc", "wiki"];
  expect(seen).toEqual([
    { ...filter, corpora },
    { ...filter, corpora },
  ]);
});

test("no pull request is left out, and the time of embedding is reported", async () => {
  const spent = embedder(async (texts) => ({
    vectors: texts.map(() => Float32Array.of(1, 0)),
    tokens: 9,
    usd: 0.0001,
    cached: 0,
    failed: null,
  }));
  const recall = memoryStore(CORPUS);
  const search: HandSearch = {
    repo: REPO,
    method: "semantic",
    filter: {},
    topK: 5,
    threshold: null,
    rerank: "auto",
    now: NOW,
  };
  const precedents = await searchMemory("locks", search, { ...UNAIDED, embedder: spent, recall });
  expect(new Set(recall.scopes.map(({ excludePull }) => excludePull))).toEqual(new Set([null]));
  expect(precedents.usage).toEqual({ texts: 1, cached: 0, tokens: 9, usd: 0.0001 });
  expect(spent.asked.map(({ texts }) => texts)).toEqual([["locks"]]);
});

test("several lists become one: each memory once, by its best score, highest first", () => {
  const found = fc.record({
    id: fc.constantFrom("a", "b", "c", "d"),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(fc.array(found, { maxLength: 5 }), { minLength: 2, maxLength: 4 }), (lists) => {
      const given = lists.map((list, at) =>
        list.map(({ id, score }) => ({ memory: rankedMemory(memory(id), { score }), text: String(at) })),
      );
      const merged = mergeFound(given);
      const all = given.flat();
      const idOf = (one: FoundMemory) => one.memory.record.id;
      expect(new Set(merged.map(idOf)).size).toBe(merged.length);
      expect(new Set(merged.map(idOf))).toEqual(new Set(all.map(idOf)));
      merged.forEach(({ memory: { record, score } }, at) => {
        const same = all.filter((one) => idOf(one) === record.id);
        expect(score).toBe(Math.max(...same.map((one) => one.memory.score)));
        expect(score).toBeGreaterThanOrEqual(merged[at + 1]?.memory.score ?? 0);
      });
    }),
  );
});
