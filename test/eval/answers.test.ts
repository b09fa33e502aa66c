import { describe, expect, test } from "vitest";
import { type Answer, bestAndWorst, cutFigures, figuresOf } from "../../eval/answers.ts";
import { STAGES, TARGETS, targetLines } from "../../eval/targets.ts";

const answer = (
  query: string,
  found: readonly (readonly [string, number | null])[],
  truth: readonly string[],
): Answer => ({
  query,
  ids: found.map(([id]) => id),
  distances: found.map(([, distance]) => distance),
  truth: new Set(truth),
  grades: new Map(truth.map((id) => [id, 1])),
  ms: 1,
});

const NEAR = answer(
  "acme/shop#1",
  [
    ["a", 0.2],
    ["b", 0.9],
    ["c", null],
    ["d", 0.8],
  ],
  ["a", "b"],
);
const LOST = answer(
  "acme/shop#2",
  [
    ["x", 0.95],
    ["y", 0.4],
  ],
  ["z"],
);

describe("the figures of answers", () => {
  test("false positives lie beyond the threshold; results that are no truth are counted beside them [002-30]", () => {
    const figures = figuresOf([NEAR, LOST], 0.7);
    // Of three with a distance two lie beyond; the one that only words found has none.
    expect(figures.fpr).toEqual([2 / 3, 1 / 2]);
    expect(figures["notTruth@10"]).toEqual([2 / 4, 1]);
    expect(figuresOf([NEAR, LOST], 1).fpr).toEqual([0, 0]);
  });

  test("each query has its hit, its mean distance, and the best and the worst are named [002-34]", () => {
    const figures = figuresOf([NEAR, LOST], 0.7);
    expect(figures["hitRate@10"]).toEqual([1, 0]);
    expect(figures.distance?.[0]).toBeCloseTo((0.2 + 0.9 + 0.8) / 3, 12);
    expect(bestAndWorst([LOST, NEAR], 1)).toEqual([
      "1 of 2 queries found nothing of their truth",
      "best: acme/shop#1: first at 1 of 2",
      "worst: acme/shop#2: none found of 1",
    ]);
  });

  test("nothing found is an abstention and no precision", () => {
    expect(cutFigures([NEAR, answer("acme/shop#3", [], ["a"])])).toEqual({
      hitRate: [1, 0],
      abstention: [0, 1],
      used: [4, 0],
      precision: [0.5],
    });
  });
});

describe("targets", () => {
  test("are listed beside the measured figures, met or missed, and with the stage that is reached [002-35][003-36]", () => {
    const metrics = { mrr: 0.448, "recall@5": 0.509, "recall@10": 0.672, "precision@5": 0.186, fpr: 0.55, p95Ms: 20 };
    expect(targetLines({ name: "default", metrics })).toEqual([
      "default: recall@5 0.509, target over 0.6: missed",
      "default: recall@10 0.672, target over 0.8: missed",
      "default: mrr 0.448, target over 0.4: met",
      "default: precision@5 0.186, target over 0.3: missed",
      "default: fpr 0.550, target under 0.7: met",
      "default: precision@5 0.186, figure to beat over 0.75: missed",
      "default: precision@5 0.186, figure to beat over 0.8: missed",
      "default: precision@5 0.186, figure to beat over 0.9: missed",
      "default: recall@10 0.672, figure to beat over 0.85: missed",
      "default: recall@10 0.672, figure to beat over 0.9: missed",
      "default: stage 4 of 5 by recall@10",
    ]);
    expect(targetLines({ name: "default-cut", metrics: { hitRate: 0.6 } })).toEqual([]);
  });

  test("the stages climb, and the figures to beat lie above the targets", () => {
    expect(STAGES.toSorted((a, b) => a - b)).toEqual([...STAGES]);
    const beaten = TARGETS.filter(({ of }) => of === "figure to beat");
    for (const { metric, value } of beaten) {
      const own = TARGETS.find((one) => one.metric === metric && one.of === "target");
      expect(value).toBeGreaterThan(own?.value ?? 1);
    }
  });
});
