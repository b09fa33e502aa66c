import { describe, expect, test } from "vitest";
import { outcomeWeight, recencyDistanceFactor, recencyScoreFactor } from "../../../src/retrieve/rank/factors.ts";
import { DAY, NOW } from "../given.ts";

const old = (days: number, severity: "critical" | "major" | "medium" | "minor" | null) => ({
  at: NOW - days * DAY,
  severity,
});

describe("age", () => {
  test.each([
    [0, "minor", 1],
    [90, "minor", 1.5],
    [180, "minor", 1.75],
    [365, "minor", 1.85],
    [365, "medium", 1.85],
    [365, "major", 1.7],
    [3650, "critical", 1.7],
  ] as const)("%d days and %s multiply a distance with %d", (days, severity, factor) => {
    expect(recencyDistanceFactor(old(days, severity), NOW)).toBeCloseTo(factor, 12);
  });

  test("what has no date, or a date to come, is not farther", () => {
    expect(recencyDistanceFactor({ at: null, severity: "major" }, NOW)).toBe(1);
    expect(recencyDistanceFactor(old(-10, "minor"), NOW)).toBe(1);
  });

  test("a fused score rises by at most 15 % and never sinks", () => {
    expect(recencyScoreFactor(old(0, null), NOW)).toBeCloseTo(1.15, 12);
    expect(recencyScoreFactor(old(90, null), NOW)).toBeCloseTo(1.075, 12);
    expect(recencyScoreFactor(old(9999, null), NOW)).toBeGreaterThan(1);
    expect(recencyScoreFactor({ at: null, severity: null }, NOW)).toBe(1);
  });
});

test("an outcome weighs a few per cent: posted is not accepted, and a declined finding does not sink", () => {
  expect(outcomeWeight("accepted")).toBeGreaterThan(outcomeWeight("posted"));
  expect(outcomeWeight("reintroduced")).toBeGreaterThan(outcomeWeight("fixed"));
  expect([outcomeWeight("posted"), outcomeWeight("declined"), outcomeWeight(null)]).toEqual([1, 1, 1]);
  expect(outcomeWeight("outdated")).toBeLessThan(1);
});
