// A text that somebody typed, through the door of the room, against a fake shelf and a fake embedder.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type FoundMemory, type HandSearch, mergeFound } from "../../src/domain/memory/search-result.ts";
import type { MemoryFilter } from "../../src/domain/retrieval.ts";
import { searchMemory } from "../../src/retrieve/retrieve.ts";
import { atDistance, embedder, memory, NOW, REPO, rankedMemory, type Shelved, shelf } from "./given.ts";

const near = (id: string, distance: number): Shelved => ({ record: memory(id), vector: atDistance(distance) });

async function run(
  shelved: readonly Shelved[],
  more: Partial<HandSearch> = {},
  text = "always an idempotency key of a charge",
) {
  const recall = shelf(shelved);
  const search: HandSearch = { repo: REPO, method: "hybrid", filter: {}, topK: 10, threshold: null, now: NOW, ...more };
  return { recall, ...(await searchMemory(text, search, { embedder: embedder(), recall, reranker: null })) };
}
const ids = (found: { readonly memories: readonly FoundMemory[] }) =>
  found.memories.map(({ memory: { record } }) => record.id);

const SHELF = [
  near("mem_far", 0.9),
  near("mem_near", 0.1),
  near("mem_middle", 0.5),
  { record: memory("mem_words", { text: "a charge is retried with its idempotency key only" }) },
];

test("without a threshold the embedder's own holds, and what words alone found stands beside it", async () => {
  const found = await run(SHELF);
  expect(ids(found).toSorted()).toEqual(["mem_near", "mem_words"]);
  expect(found.memories.map(({ text }) => text)).toEqual(Array(2).fill("always an idempotency key of a charge"));
  expect(found.precedents.gate).toMatchObject({ retrieve: true, decidedBy: "disabled" });
  expect(found.precedents.provenance).toMatchObject({ method: "hybrid", scanned: 4 });
});

test("a threshold of 0 admits whatever is found, and another what is at least so alike and nothing else", async () => {
  expect(ids(await run(SHELF, { threshold: 0 })).toSorted()).toEqual([
    "mem_far",
    "mem_middle",
    "mem_near",
    "mem_words",
  ]);
  expect(ids(await run(SHELF, { threshold: 0.4 })).toSorted()).toEqual(["mem_middle", "mem_near"]);
  expect(ids(await run(SHELF, { threshold: 1 }))).toEqual([]);
  // Many near ones make a review stricter; a person who named a figure gets that figure.
  const many = Array.from({ length: 12 }, (_, at) => near(`mem_${at}`, 0.01 * at));
  const found = await run([...many, near("mem_last", 0.55)], { threshold: 0.4, topK: 20 });
  expect(ids(found)).toContain("mem_last");
});

test.each(["semantic", "keyword", "hybrid"] as const)(
  "%s gives scores from 0 to 1, highest first, at most topK",
  async (method) => {
    const said = { at: NOW, url: null, author: null, authorIsBot: false, sha: null, pull: 3 };
    const fresh = memory("mem_best", {
      text: "always the idempotency key of a charge",
      outcome: "reintroduced",
      provenance: said,
    });
    const found = await run([...SHELF, { record: fresh, vector: atDistance(0) }], {
      method,
      threshold: method === "keyword" ? null : 0,
    });
    const scores = found.memories.map(({ score }) => score);
    expect(scores.length).toBeGreaterThan(1);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores[0]).toBeCloseTo(1, 5);
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    expect(ids(await run(SHELF, { method, topK: 1 }))).toHaveLength(1);
  },
);

test("filters reach both searches, and without corpora all of them are asked", async () => {
  const seen: MemoryFilter[] = [];
  const recall = shelf(SHELF, {
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
  const search: HandSearch = { repo: REPO, method: "hybrid", filter, topK: 5, threshold: null, now: NOW };
  await searchMemory("locks", search, { embedder: embedder(), recall, reranker: null });
  const corpora = ["finding", "review_comment", "doc", "wiki", "code"];
  expect(seen).toEqual([
    { ...filter, corpora },
    { ...filter, corpora },
  ]);
});

test("no pull request is left out, and what embedding took is told", async () => {
  const spent = embedder(async (texts) => ({
    vectors: texts.map(() => Float32Array.of(1, 0)),
    tokens: 9,
    usd: 0.0001,
    cached: 0,
  }));
  const recall = shelf(SHELF);
  const search: HandSearch = { repo: REPO, method: "semantic", filter: {}, topK: 5, threshold: null, now: NOW };
  const { precedents } = await searchMemory("locks", search, { embedder: spent, recall, reranker: null });
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
        list.map(({ id, score }) => ({ memory: rankedMemory(memory(id)), score, text: String(at) })),
      );
      const merged = mergeFound(given);
      const all = given.flat();
      expect(new Set(ids({ memories: merged })).size).toBe(merged.length);
      expect(new Set(ids({ memories: merged }))).toEqual(new Set(ids({ memories: all })));
      merged.forEach(({ memory: { record }, score }, at) => {
        expect(score).toBe(
          Math.max(...all.filter((one) => one.memory.record.id === record.id).map((one) => one.score)),
        );
        expect(score).toBeGreaterThanOrEqual(merged[at + 1]?.score ?? 0);
      });
    }),
  );
});
