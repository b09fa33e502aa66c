import fc from "fast-check";
import { expect, test } from "vitest";
import { bootstrap, mrr, ndcgAt, pairedBootstrap, precisionAt, recallAt } from "../../eval/metrics.ts";

const truth = new Set(["b", "d"]);

test("mean reciprocal rank looks at the first id that matters only [002-28]", () => {
  expect(mrr(["a", "b", "c", "d"], truth)).toBe(0.5);
  expect(mrr(["a", "c"], truth)).toBe(0);
});

test("recall counts what was found of the truth, precision what was right of k places [002-27][002-29]", () => {
  expect(recallAt(2, ["a", "b", "d"], truth)).toBe(0.5);
  expect(recallAt(3, ["a", "b", "d"], truth)).toBe(1);
  expect(recallAt(3, ["a"], new Set())).toBe(0);
  expect(precisionAt(4, ["b", "d"], truth)).toBe(0.5);
});

test("an id that a list repeats counts once", () => {
  expect(recallAt(3, ["b", "b", "b"], truth)).toBe(0.5);
});

test("discounted gain prefers the higher grade first and is 1 for the best order", () => {
  const grades = new Map([
    ["x", 3],
    ["y", 1],
  ]);
  expect(ndcgAt(10, ["x", "y"], grades)).toBe(1);
  expect(ndcgAt(10, ["y", "x"], grades)).toBeCloseTo((1 + 7 / Math.log2(3)) / (7 + 1 / Math.log2(3)), 12);
  expect(ndcgAt(10, ["z"], grades)).toBe(0);
});

test("every figure lies between 0 and 1", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c", "d")), fc.integer({ min: 0, max: 12 }), (ranked, k) => {
      const grades = new Map([...truth].map((id, at) => [id, at + 1]));
      for (const value of [
        mrr(ranked, truth),
        recallAt(k, ranked, truth),
        precisionAt(k, ranked, truth),
        ndcgAt(k, ranked, grades),
      ]) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1 + 1e-12);
      }
    }),
  );
});

test("the interval holds the mean, and the same seed gives the same interval", () => {
  const values = Array.from({ length: 100 }, (_, at) => (at * 37) % 101);
  const interval = bootstrap(values, 7);
  expect(interval.low).toBeLessThan(interval.mean);
  expect(interval.high).toBeGreaterThan(interval.mean);
  expect(bootstrap(values, 7)).toEqual(interval);
  expect(bootstrap(values, 8)).not.toEqual(interval);
});

test("a paired comparison sees a small steady gain that two separate intervals would hide [002-33]", () => {
  const noisy = Array.from({ length: 200 }, (_, at) => (at * 61) % 97);
  const better = noisy.map((value, at) => value + 1 + (at % 3) * 0.1);
  const gain = pairedBootstrap(better, noisy);
  expect(gain.low).toBeGreaterThan(0.9);
  expect(bootstrap(better).low).toBeLessThan(bootstrap(noisy).high);
});

test("a paired comparison of different queries is refused", () => {
  expect(() => pairedBootstrap([1, 2], [1])).toThrow(/same queries/);
});
