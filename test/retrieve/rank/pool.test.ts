import { describe, expect, test } from "vitest";
import { type FusedHit, pool } from "../../../src/retrieve/rank/fusion.ts";

function hit(id: string, score: number, more: Partial<FusedHit> = {}): FusedHit {
  return { id, score, distance: null, vectorRank: null, keywordRank: null, keywordScore: null, ...more };
}

describe("pooling the queries of one pull request", () => {
  const EXACT = [hit("exact", 0.9), hit("often", 0.3)];
  const LISTS = [EXACT, [hit("often", 0.3)], [hit("other", 0.31), hit("often", 0.3)]];

  test("a memory is ranked by its best query, not by many weak ones", () => {
    expect(pool(LISTS).map(({ id, score }) => [id, score])).toEqual([
      ["exact", 0.9],
      ["other", 0.31],
      ["often", 0.3],
    ]);
  });

  test("by best rank every first place counts alike", () => {
    const ranks = new Map(pool(LISTS, "best-rank").map(({ id, score }) => [id, score]));
    expect(ranks).toEqual(
      new Map([
        ["exact", 1],
        ["often", 1],
        ["other", 1],
      ]),
    );
  });

  test("reciprocal ranks are there for measurements and add up", () => {
    expect(pool(LISTS, "rrf")[0]?.id).toBe("often");
  });

  test("each memory comes once, with its smallest distance, best ranks and best BM25", () => {
    const a = hit("m", 0.1, { distance: 0.4, vectorRank: 3, keywordScore: 2, keywordRank: 9 });
    const b = hit("m", 0.2, { distance: 0.2, vectorRank: 7, keywordScore: 5, keywordRank: 4 });
    expect(pool([[a], [b], []])).toEqual([
      hit("m", 0.2, { distance: 0.2, vectorRank: 3, keywordScore: 5, keywordRank: 4 }),
    ]);
  });

  test("queries that found nothing give nothing", () => {
    expect(pool([[], []])).toEqual([]);
  });
});
