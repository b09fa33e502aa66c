import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inverseFrequency } from "../../../src/domain/text/bm25.ts";
import { adaptiveThreshold, keywordFloor } from "../../../src/retrieve/rank/threshold.ts";

describe("the threshold for distances", () => {
  test("with eight candidates and a gap, is the distance before the largest gap", () => {
    const distances = [0.16, 0.17, 0.18, 0.19, 0.26, 0.27, 0.28, 0.29];
    expect(adaptiveThreshold(distances, 0.3)).toMatchObject({ threshold: 0.19, method: "gap", candidateCount: 8 });
  });

  test("a gap among seven candidates, or one under .05, means nothing: the 75th percentile holds", () => {
    expect(adaptiveThreshold([0.16, 0.17, 0.18, 0.19, 0.26, 0.27, 0.28], 0.3)).toMatchObject({
      threshold: 0.27,
      method: "percentile",
    });
    const close = [0.16, 0.17, 0.18, 0.19, 0.2, 0.21, 0.22, 0.23];
    expect(adaptiveThreshold(close, 0.3)).toMatchObject({ threshold: 0.21, method: "percentile" });
  });

  test("a gap between near and far never admits what is farther than configured", () => {
    const distances = [0.1, 0.12, 0.4, 0.41, 0.42, 0.43, 0.44, 0.6];
    expect(adaptiveThreshold(distances, 0.3).threshold).toBeLessThanOrEqual(0.3);
    expect(adaptiveThreshold([0.6, 0.62], 0.3)).toMatchObject({ threshold: 0.3, method: "configured" });
  });

  test("without candidates it is the configured distance, 0 included", () => {
    expect(adaptiveThreshold([], 0.3)).toMatchObject({ threshold: 0.3, method: "configured", gapSize: null });
    expect(adaptiveThreshold([0.1, 0.2], 0)).toMatchObject({ threshold: 0 });
    expect(adaptiveThreshold([Number.NaN], 0.3)).toMatchObject({ threshold: 0.3, candidateCount: 0 });
  });

  test("always lies between half of the configured distance and all of it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 2 }), { maxLength: 40 }),
        fc.double({ min: 0, max: 2, noNaN: true }),
        (distances, configured) => {
          const { threshold } = adaptiveThreshold(distances, configured);
          expect(threshold).toBeLessThanOrEqual(configured);
          expect(threshold).toBeGreaterThanOrEqual(configured / 2);
        },
      ),
    );
  });
});

describe("the floor for words", () => {
  test("rises with the number of memories, as the weight of a rare word does", () => {
    expect(keywordFloor(1000)).toBeGreaterThan(keywordFloor(100));
    expect(keywordFloor(100)).toBeCloseTo(0.75 * inverseFrequency(100, 1, 0), 12);
  });

  test("is nothing where nothing is known", () => {
    expect([keywordFloor(null), keywordFloor(0)]).toEqual([0, 0]);
  });
});
