import { expect, test } from "vitest";
import { type ReplayResult, replaySummary } from "../../src/domain/figures/replay.ts";

const AT = Date.UTC(2026, 9, 1);
const result = (over: Partial<ReplayResult> = {}): ReplayResult => ({
  ...{ at: AT, pulls: 80, comments: 200, on: 0.1, placebo: 0.08, model: "local-1" },
  gain: { mean: 0.02, low: -0.03, high: 0.07 },
  ...over,
});

test("the figures are on one line", () => {
  expect(replaySummary(result())).toBe(
    "2026-10-01: on 0.100, placebo 0.080, gain 0.020 [-0.030, 0.070] over 80 pull requests with local-1",
  );
  expect(replaySummary(result({ gain: null, placebo: null }))).toContain("on 0.100, without a placebo over 80");
});
