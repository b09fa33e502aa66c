import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuseByRank, fuseByScore, pool, strategyWeights } from "../../../src/retrieve/rank/fusion.ts";

const variant = { kind: "intent", text: "", path: null } as const;
const EVEN = { vector: 1, keyword: 1 };

function found(nearest: Readonly<Record<string, number>>, matching: Readonly<Record<string, number>>) {
  return {
    variant,
    nearest: Object.entries(nearest).map(([id, distance]) => ({ id, distance })),
    matching: Object.entries(matching).map(([id, score]) => ({ id, score })),
  };
}

function reciprocalRank(lists: readonly (readonly string[])[]) {
  const nothing = { score: 0, distance: null, vectorRank: null, keywordRank: null, keywordScore: null };
  return pool(
    lists.map((ids) => ids.map((id) => ({ id, ...nothing }))),
    "rrf",
  );
}

describe("fusion by rank", () => {
  test("an id in both lists gets both parts, with ranks counted from 1", () => {
    const [first, second] = fuseByRank(found({ a: 0.1, b: 0.2 }, { b: 9 }), EVEN);
    expect(first).toMatchObject({
      id: "b",
      score: 1 / 62 + 1 / 61,
      vectorRank: 2,
      keywordRank: 1,
      distance: 0.2,
      keywordScore: 9,
    });
    expect(second).toMatchObject({ id: "a", score: 1 / 61, vectorRank: 1, keywordRank: null });
  });

  test("equal scores have one order, which is neither that of the lists nor of the alphabet", () => {
    const ids = Array.from({ length: 30 }, (_, i) => `mem_${i}`);
    const order = reciprocalRank(ids.map((id) => [id])).map(({ id }) => id);
    const reversed = reciprocalRank(ids.toReversed().map((id) => [id])).map(({ id }) => id);
    expect(order).toEqual(reversed);
    expect(order).not.toEqual(ids);
    expect(order).not.toEqual(ids.toSorted());
  });

  test("one more list with an id never lowers it, and never lowers it below what it beat on every list", () => {
    const list = fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(list, { maxLength: 4 }), list, (lists, extra) => {
        const score = (all: readonly (readonly string[])[], id: string) =>
          reciprocalRank(all).find((hit) => hit.id === id)?.score ?? 0;
        for (const id of extra) expect(score([...lists, extra], id)).toBeGreaterThan(score(lists, id));
        const [a, b] = extra;
        if (a !== undefined && b !== undefined) {
          const everywhereBefore = [...lists, extra].every(
            (ids) => !ids.includes(b) || (ids.includes(a) && ids.indexOf(a) < ids.indexOf(b)),
          );
          if (everywhereBefore) expect(score([...lists, extra], a)).toBeGreaterThan(score([...lists, extra], b));
        }
      }),
    );
  });
});

describe("fusion by weighted score", () => {
  const LISTS = found({ a: 0.1, b: 0.4 }, { b: 10, c: 5 });

  test("is alpha × likeness + (1 − alpha) × BM25 over its maximum, and an id in one list scores that part only", () => {
    const scores = new Map(fuseByScore(LISTS, { vector: 0.7, keyword: 0.3 }).map(({ id, score }) => [id, score]));
    expect(scores.get("a")).toBeCloseTo(0.7 * 0.9, 12);
    expect(scores.get("b")).toBeCloseTo(0.7 * 0.6 + 0.3, 12);
    expect(scores.get("c")).toBeCloseTo(0.3 * 0.5, 12);
  });

  test("alpha 1 is the order of distance and alpha 0 that of words", () => {
    expect(
      fuseByScore(LISTS, { vector: 1, keyword: 0 })
        .slice(0, 2)
        .map(({ id }) => id),
    ).toEqual(["a", "b"]);
    expect(
      fuseByScore(LISTS, { vector: 0, keyword: 1 })
        .slice(0, 2)
        .map(({ id }) => id),
    ).toEqual(["b", "c"]);
    expect(fuseByScore(LISTS, { vector: 0, keyword: 1 }).find(({ id }) => id === "a")?.score).toBe(0);
  });

  test("every score lies between 0 and 1, also for distances over 1 and without words", () => {
    const hits = fc.dictionary(fc.string({ minLength: 1 }), fc.double({ min: 0, max: 2, noNaN: true }));
    fc.assert(
      fc.property(hits, hits, fc.double({ min: 0, max: 1, noNaN: true }), (near, words, alpha) => {
        for (const { score } of fuseByScore(found(near, words), { vector: alpha, keyword: 1 - alpha })) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});

describe("a strategy", () => {
  test.each(["semantic", "keyword", "hybrid", "related-files", null] as const)(
    "strategy %s re-weights and switches nothing off",
    (strategy) => {
      const { vector, keyword } = strategyWeights(strategy, EVEN);
      expect(Math.min(vector, keyword)).toBeGreaterThanOrEqual(0.6);
    },
  );

  test("keyword weighs words 1 against .6, semantic the other way round", () => {
    expect(strategyWeights("keyword", EVEN)).toEqual({ vector: 0.6, keyword: 1 });
    expect(strategyWeights("semantic", EVEN)).toEqual({ vector: 1, keyword: 0.6 });
    const lists = found({ near: 0.1 }, { word: 9 });
    expect(fuseByRank(lists, strategyWeights("keyword", EVEN))[0]?.id).toBe("word");
    expect(fuseByRank(lists, strategyWeights("semantic", EVEN))[0]?.id).toBe("near");
  });
});
