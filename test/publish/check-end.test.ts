import fc from "fast-check";
import { expect, test } from "vitest";
import type { FailOn } from "../../src/config/repo-config.ts";
import type { PlacedFinding, Review } from "../../src/domain/review.ts";
import { reviewEnd } from "../../src/publish/check-end.ts";
import { checkEnd, leftCheckEnd } from "../../src/publish/publish.ts";
import { sanitizeInline } from "../../src/publish/sanitize.ts";
import { runs } from "../property-runs.ts";
import { finding } from "../review/review-builders.ts";
import { hostile } from "./hostile-text.ts";
import { sampleReview } from "./sample-review.ts";

const SUMMARY_URL = "https://github.com/acme/app/pull/7#issuecomment-1";
const WHOLE = sampleReview({ degraded: [], coverage: null });

const said = (severity: "critical" | "major" | "medium" | "minor"): PlacedFinding => {
  return { finding: finding({ severity }), place: "inline", reason: null };
};
const endOf = (review: Review, findings: readonly PlacedFinding[], failOn: FailOn) =>
  reviewEnd(review, findings, SUMMARY_URL, failOn, new Set());

test.each([
  ["never", "critical", "neutral"],
  ["critical", "critical", "failure"],
  ["critical", "major", "success"],
  ["major", "major", "failure"],
  ["medium", "minor", "success"],
  ["minor", "minor", "failure"],
] as const)("failOn: %s, the worst finding %s: %s", (failOn, severity, conclusion) => {
  expect(endOf(WHOLE, [said(severity)], failOn).conclusion).toBe(conclusion);
});

test("a review with a gap of any kind does not succeed, and still fails", () => {
  const located = { anchor: 0, quote: 0, none: 0 };
  const coverage = { model: "claude-sonnet-5-5", questions: 1, unanswered: 0, cut: [], located };
  const unread = { path: "src/a.ts", state: "not-read", reason: "over the budget of this review" } as const;
  const gaps: readonly Review[] = [
    { ...WHOLE, degraded: [{ part: "model", reason: "the budget is used up" }] },
    { ...WHOLE, coverage: { ...coverage, files: [unread] } },
    { ...WHOLE, reviewed: [] },
  ];
  for (const review of gaps) {
    expect(endOf(review, [], "major")).toMatchObject({
      conclusion: "neutral",
      summary: expect.stringContaining("**incomplete**"),
    });
    expect(endOf(review, [said("critical")], "major").conclusion).toBe("failure");
  }
});

test("findings of removed lines, and those whose lines are not known, have no annotation", () => {
  const left: PlacedFinding = { ...said("major"), finding: finding({ side: "LEFT" }) };
  const nowhere: PlacedFinding = { ...said("major"), finding: finding({ locMethod: "none" }) };
  expect(endOf(WHOLE, [left, nowhere, said("minor")], "never").annotations).toMatchObject([{ level: "notice" }]);
});

test("text from outside is as inert in a check as in a comment, and within GitHub's limits", () => {
  fc.assert(
    fc.property(hostile, hostile, (title, body) => {
      const nasty: PlacedFinding = { ...said("major"), place: "summary", finding: finding({ title, body }) };
      const { annotations, text, summary } = endOf(WHOLE, [nasty], "never");
      const [annotation] = annotations;
      expect(annotation?.title).toBe(sanitizeInline(title, 120) || "(no title)");
      expect(annotation?.message).not.toBe("");
      expect(`${annotation?.title}${annotation?.message}${text}`).not.toContain("<!-- kodiai:");
      expect(text.length).toBeLessThanOrEqual(60_000);
      expect(summary.length).toBeLessThan(1_000);
    }),
    runs(200),
  );
});

test("thousands of findings are no more than 200 annotations", () => {
  const many = Array.from({ length: 3_000 }, () => said("major"));
  expect(endOf(WHOLE, many, "never").annotations).toHaveLength(200);
});

test("without a review a check is neutral and says why", () => {
  expect(checkEnd({ kind: "skipped", reason: "the pull request is a draft" }, "critical", new Set())).toMatchObject({
    conclusion: "neutral",
    title: "Not reviewed",
    summary: "the pull request is a draft.",
  });
  expect(checkEnd({ kind: "superseded", reason: "the head moved to 4b825dc" }, "critical", new Set())).toMatchObject({
    conclusion: "neutral",
    title: "Superseded",
  });
  expect(leftCheckEnd("late", "never")).toMatchObject({ conclusion: "neutral", title: "In progress" });
  expect(leftCheckEnd("no-job", "never")).toMatchObject({ conclusion: "neutral", title: "Not reviewed" });
});

test.each(["critical", "major", "medium", "minor"] as const)(
  "a check that fails from %s on is not passed by a review that is missing [R32]",
  (failOn) => {
    expect(leftCheckEnd("no-job", failOn)).toMatchObject({ conclusion: "failure", title: "Not reviewed" });
    expect(leftCheckEnd("late", failOn)).toMatchObject({ conclusion: "failure", title: "In progress" });
  },
);
