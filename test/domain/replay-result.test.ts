import { expect, test } from "vitest";
import { noGain, type ReplayResult, replaySummary } from "../../src/domain/figures/replay.ts";

const DAY = 86_400_000;
const AT = Date.UTC(2026, 9, 1);
const result = (over: Partial<ReplayResult> = {}): ReplayResult => ({
  ...{ at: AT, pulls: 80, comments: 200, on: 0.1, placebo: 0.08, model: "local-1" },
  gain: { mean: 0.02, low: -0.03, high: 0.07 },
  ...over,
});

test("a gain that may be none, over enough pull requests, keeps memory out and says on what ground", () => {
  expect(noGain(result(), AT + DAY, "local-1")).toBe(
    "a replay on 2026-10-01 over 80 pull requests did not show that memory helps here (gain over the placebo [-0.030, 0.070])",
  );
  expect(noGain(result({ gain: { mean: 0, low: 0, high: 0 }, pulls: 50 }), AT, "local-1")).not.toBeNull();
});

test.each([
  ["there was no replay", null, "local-1", AT],
  ["memory helps", result({ gain: { mean: 0.1, low: 0.001, high: 0.2 } }), "local-1", AT],
  ["there were too few pull requests", result({ pulls: 49 }), "local-1", AT],
  ["there was no placebo", result({ gain: null, placebo: null }), "local-1", AT],
  ["memory is searched with another embedder now", result(), "voyage-code-3", AT],
  ["words are searched only", result(), null, AT],
  ["the result is thirty days old", result(), "local-1", AT + 30 * DAY],
])("memory is searched as before when %s", (_, one, model, now) => {
  expect(noGain(one, now, model)).toBeNull();
});

test("the figures are on one line, with the day until which they count", () => {
  expect(replaySummary(result())).toBe(
    "2026-10-01: on 0.100, placebo 0.080, gain 0.020 [-0.030, 0.070] over 80 pull requests with local-1; counts until 2026-10-31",
  );
  expect(replaySummary(result({ gain: null, placebo: null }))).toContain("on 0.100, without a placebo over 80");
});
