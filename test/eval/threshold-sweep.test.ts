import fc from "fast-check";
import { expect, test } from "vitest";
import { figures, figuresOfLength, type Judged, macro, strictestBest } from "../../eval/threshold-sweep.ts";

const judged = (near: readonly (readonly [number, boolean])[], truths: number): Judged => ({
  repo: "acme/shop",
  ranked: near.map(([, isTruth]) => isTruth),
  truths,
  near: near.map(([distance, isTruth]) => ({ distance, isTruth })),
  nearHunk: [],
});

const FIRST = judged(
  [
    [0.3, true],
    [0.5, false],
    [0.7, true],
  ],
  2,
);
const SECOND = judged([[0.6, false]], 1);

test("F1 is computed for each query and then averaged, so that a large query counts like a small one [002-31]", () => {
  expect(figures(FIRST, 0.4)).toEqual({ precision: 1, recall: 0.5, f1: 2 / 3, admitted: 1 });
  expect(figures(SECOND, 0.7)).toEqual({ precision: 0, recall: 0, f1: 0, admitted: 1 });
  expect(macro([FIRST, SECOND], 0.4)).toBeCloseTo(1 / 3, 12);
  expect(figuresOfLength(FIRST, 2)).toMatchObject({ precision: 0.5, recall: 0.5 });
});

test("of thresholds that do equally well the stricter is taken [002-31]", () => {
  expect(strictestBest([0.4, 0.45, 0.5], (at) => macro([FIRST], Math.min(at, 0.4)))).toBe(0.4);
  expect(strictestBest([0.2, 0.4, 0.8], (at) => macro([FIRST], at))).toBe(0.8);
});

test("a looser threshold never admits less and never finds less", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.double({ min: 0, max: 2, noNaN: true }), fc.boolean())),
      fc.double({ min: 0, max: 2, noNaN: true }),
      fc.double({ min: 0, max: 2, noNaN: true }),
      (near, a, b) => {
        const one = judged(near, near.filter(([, isTruth]) => isTruth).length);
        const [strict, loose] = [figures(one, Math.min(a, b)), figures(one, Math.max(a, b))];
        expect(loose.admitted).toBeGreaterThanOrEqual(strict.admitted);
        expect(loose.recall).toBeGreaterThanOrEqual(strict.recall);
        for (const { precision, recall, f1 } of [strict, loose]) {
          for (const value of [precision, recall, f1]) expect(value >= 0 && value <= 1).toBe(true);
        }
      },
    ),
  );
});
