import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RankedMemory } from "../../../src/domain/retrieval.ts";
import { attempts } from "../../../src/retrieve/degradation-log.ts";
import { type AskOrder, type Reranking, rerankMemories } from "../../../src/retrieve/model/rerank.ts";
import type { QueryCandidates } from "../../../src/retrieve/rank/fusion.ts";
import { memory, rankedMemory } from "../retrieve-builders.ts";

/** Best first: the first has the highest score. */
const listOf = (count: number): RankedMemory[] =>
  Array.from({ length: count }, (_, place) => rankedMemory(memory(`m${place}`), { score: count - place }));

function query(text: string, found: readonly string[]): QueryCandidates {
  const [half, rest] = [found.filter((_, at) => at % 2 === 0), found.filter((_, at) => at % 2 === 1)];
  return {
    variant: { kind: "hunk", text, path: "src/a.ts" },
    nearest: half.map((id) => ({ id, distance: 0.2 })),
    matching: rest.map((id) => ({ id, score: 3 })),
  };
}

type Scores = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Scores by query and id; a query without scores fails. */
function scoring(scores: Scores) {
  const asked: { query: string; ids: readonly string[]; topK: number }[] = [];
  const ask: AskOrder = async (text, candidates, topK) => {
    asked.push({ query: text, ids: candidates.map(({ id }) => id), topK });
    const known = scores[text];
    const failed = known === undefined ? "the service answered 500" : null;
    return { scores: new Map(Object.entries(known ?? {})), tokens: 100, usd: 0.25, ms: asked.length * 10, failed };
  };
  return { ask, asked };
}

async function reranked(
  ranked: readonly RankedMemory[],
  queries: readonly QueryCandidates[],
  ask: AskOrder,
  more: Partial<Reranking> = {},
) {
  const tries = attempts();
  const settings = { by: "judge-1", ask, most: 50, keep: 2, once: false, ...more };
  const result = await rerankMemories(ranked, queries, settings, tries);
  return { ids: result.ranked.map(({ record }) => record.id), report: result.report, degraded: tries.degraded() };
}

const ALL = ["m0", "m1", "m2", "m3"];

describe("reranking", () => {
  test("each query is asked with its own candidates, and a memory counts with its best query [002-25]", async () => {
    const { ask, asked } = scoring({ intent: { m0: 0.1, m1: 0.3, m2: 0.2 }, hunk: { m1: 0.1, m2: 0.2, m3: 0.9 } });
    const queries = [query("intent", ["m0", "m1", "m2"]), query("hunk", ["m3", "m2", "m1"])];
    const { ids, report, degraded } = await reranked(listOf(4), queries, ask);
    expect(asked).toEqual([
      { query: "intent", ids: ["m0", "m1", "m2"], topK: 2 },
      { query: "hunk", ids: ["m1", "m2", "m3"], topK: 2 },
    ]);
    // By the queries m3, m1, m2, m0, which weighs twice as much as the ranking.
    expect(ids).toEqual(["m3", "m1", "m0", "m2"]);
    expect(degraded).toEqual([]);
    expect(report).toEqual({
      by: "judge-1",
      ms: 20,
      tokens: 200,
      usd: 0.5,
      topChanged: 0,
      meanMove: (3 + 0 + 2 + 1) / 4,
      failed: null,
    });
  });

  test("the extent of the change is reported: who came among the first five, and how far memories moved [003-43]", async () => {
    const ten = listOf(10);
    const ids = ten.map(({ record }) => record.id);
    const backwards = Object.fromEntries(ids.map((id, place) => [id, place]));
    const { report } = await reranked(ten, [query("q", ids)], scoring({ q: backwards }).ask);
    expect(report).toMatchObject({ topChanged: 1, meanMove: 5 });
    const same = Object.fromEntries(ids.map((id, place) => [id, -place]));
    const { report: unmoved } = await reranked(ten, [query("q", ids)], scoring({ q: same }).ask);
    expect(unmoved).toMatchObject({ topChanged: 0, meanMove: 0 });
  });

  test("candidates that the reranker does not name come after those it names, in the given order [003-19]", async () => {
    const { ids } = await reranked(listOf(4), [query("q", ALL)], scoring({ q: { m3: 0.2, m2: 0.9 } }).ask);
    expect(ids).toEqual(["m2", "m3", "m0", "m1"]);
  });

  test("its order is fused with the ranking and weighs twice as much: where both put a memory high, it comes first", async () => {
    const six = listOf(6);
    const ids = six.map(({ record }) => record.id);
    const order = ["m2", "m5", "m1", "m0", "m4", "m3"];
    const scores = Object.fromEntries(order.map((id, rank) => [id, 1 / (rank + 1)]));
    const result = await reranked(six, [query("q", ids)], scoring({ q: scores }).ask);
    const fusedAt = (id: string) => 1 / (61 + ids.indexOf(id)) + 2 / (61 + order.indexOf(id));
    expect(result.ids).toEqual(ids.toSorted((a, b) => fusedAt(b) - fusedAt(a)));
    expect(result.ids.slice(0, 3)).toEqual(["m2", "m1", "m0"]);
  });

  test("a reranker that reads the change is asked once, about all candidates", async () => {
    const { ask, asked } = scoring({ "": { m3: 1 } });
    const queries = [query("a", ["m0", "m1"]), query("b", ["m2", "m3"])];
    expect((await reranked(listOf(4), queries, ask, { once: true })).ids).toEqual(["m3", "m0", "m1", "m2"]);
    expect(asked).toEqual([{ query: "", ids: ALL, topK: 2 }]);
  });

  test("when it fails the order stays and the review reports it [003-29]", async () => {
    const { ids, report, degraded } = await reranked(listOf(4), [query("q", ALL)], scoring({}).ask);
    expect(ids).toEqual(ALL);
    expect(report).toMatchObject({ failed: "the service answered 500", meanMove: 0, topChanged: 0 });
    expect(degraded).toEqual([{ part: "rerank", reason: "the service answered 500" }]);
    const broken = await reranked(listOf(4), [query("q", ALL)], () => Promise.reject(new Error("sk-secret")));
    expect(broken.ids).toEqual(ALL);
    expect(broken.degraded).toEqual([{ part: "rerank", reason: "the reranker failed" }]);
  });

  test("one query that fails leaves the others alone, and what only it found keeps its place [003-21]", async () => {
    const queries = [query("works", ["m0", "m2", "m3"]), query("broken", ["m1", "m2", "m3"])];
    const { ids, degraded } = await reranked(listOf(4), queries, scoring({ works: { m0: 0.1, m2: 0.2, m3: 0.3 } }).ask);
    expect(ids).toEqual(["m3", "m1", "m2", "m0"]);
    expect(degraded).toEqual([{ part: "rerank", reason: "1 of 2 queries: the service answered 500" }]);
  });

  test("queries are asked side by side [003-21]", async () => {
    let running = 0;
    let most = 0;
    const ask: AskOrder = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return { scores: new Map(), tokens: 0, usd: 0, ms: 5, failed: null };
    };
    await reranked(listOf(4), [query("a", ALL), query("b", ALL), query("c", ALL)], ask);
    expect(most).toBe(3);
  });

  test("nothing is asked where it cannot matter: no more candidates than are kept, or none [003-18][003-46]", async () => {
    const { ask, asked } = scoring({ q: { m1: 1 } });
    const four = [query("q", ALL)];
    for (const one of [
      await reranked(listOf(4), four, ask, { keep: 4 }),
      await reranked(listOf(4), [query("q", ["m0", "m1"])], ask),
      await reranked([], four, ask),
    ]) {
      expect(one).toMatchObject({ report: null, degraded: [] });
    }
    expect(asked).toEqual([]);
  });

  test("only the best are handed over, and the others stay behind them", async () => {
    const many = listOf(60);
    const ids = many.map(({ record }) => record.id);
    const { ask, asked } = scoring({ q: { m49: 1, m59: 2 } });
    const result = await reranked(many, [query("q", ids)], ask);
    expect(asked[0]?.ids).toHaveLength(50);
    expect(result.ids).toEqual(["m49", ...ids.filter((id) => id !== "m49")]);
  });

  test("for any scores, no candidate is lost and none doubled", async () => {
    const score = fc.oneof(fc.double(), fc.constant(Number.NaN));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.dictionary(fc.constantFrom("m0", "m3", "m7", "constructor"), score),
        async (n, q) => {
          const ranked = listOf(n);
          const ids = ranked.map(({ record }) => record.id);
          const result = await reranked(ranked, [query("q", ids)], scoring({ q }).ask);
          expect(result.ids.toSorted()).toEqual(ids.toSorted());
        },
      ),
    );
  });
});

test("a memory is read by its situation and lesson; what no model has written up, as it was said", async () => {
  const text = "This leaks when the callback throws.";
  const written = { situation: "A handle is closed on the happy path only.", lesson: "Close it in finally." };
  const ranked = [memory("m0", { text, ...written }), memory("m1", { text }), memory("m2")].map((record) =>
    rankedMemory(record),
  );
  const read: string[][] = [];
  const ask: AskOrder = async (_query, candidates) => {
    read.push(candidates.map((candidate) => candidate.text));
    return { scores: new Map(), tokens: 0, usd: 0, ms: 0, failed: null };
  };
  await reranked(ranked, [query("q", ALL)], ask);
  expect(read[0]?.slice(0, 2)).toEqual(["A handle is closed on the happy path only.\nClose it in finally.", text]);
});
