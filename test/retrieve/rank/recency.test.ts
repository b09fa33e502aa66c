import { describe, expect, test } from "vitest";
import type { Outcome } from "../../../src/domain/memory.ts";
import { factorTerms, recencyDistanceFactor } from "../../../src/retrieve/rank/factors.ts";
import { DAY, memory, NOW } from "../retrieve-builders.ts";

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
});

const CHANGE = { languages: [], strategy: null, places: { paths: new Set<string>(), folders: new Set<string>() } };
const terms = (over: Parameters<typeof memory>[1]) => {
  const at = { ...CHANGE, sourceWeights: {}, now: NOW };
  return new Map(factorTerms(memory("mem_1", over), at).map(({ name, value }) => [name, Math.exp(value)]));
};

test("age divides a score by what it multiplies a distance with [000-40]", () => {
  expect(terms({ provenance: { at: NOW } }).get("recency")).toBeUndefined();
  expect(terms({ provenance: { at: NOW - 90 * DAY } }).get("recency")).toBeCloseTo(1 / 1.5, 12);
  expect(terms({ provenance: { at: NOW - 999 * DAY } }).get("recency")).toBeCloseTo(1 / 1.85, 12);
  expect(terms({ severity: "major", provenance: { at: NOW - 999 * DAY } }).get("recency")).toBeCloseTo(1 / 1.7, 12);
});

test.each<[Outcome | null, number | undefined]>([
  ["reintroduced", 1.1],
  ["accepted", 1.05],
  ["fixed", 1.05],
  ["posted", undefined],
  ["declined", undefined],
  [null, undefined],
  ["outdated", 0.95],
])("the outcome %s weighs %s", (outcome, factor) => {
  const weighs = terms({ outcome }).get("outcome");
  if (factor === undefined) expect(weighs).toBeUndefined();
  else expect(weighs).toBeCloseTo(factor, 12);
});
