// The machine-readable review. Documented in docs/review-json.md; a change that breaks readers raises `version`.
import { quietVerdict } from "../domain/review/quiet-verdict.ts";
import type { Review } from "../domain/review.ts";

/** The review as plain JSON, version 1. Findings are in the order in which people see them. */
export function reviewJson(review: Review) {
  const { head, rest } = quietVerdict(review);
  return {
    version: 1,
    verdict: review.findings.length === 0 ? `${head}${rest}` : null,
    findings: review.findings.map(({ finding, place, reason }) => ({ ...finding, place, placeReason: reason })),
    heldBack: review.heldBack,
    memory: review.memory,
    walkthrough: review.walkthrough,
    coverage: review.coverage,
    signals: review.signals,
    reviewed: review.reviewed,
    leftOut: review.leftOut,
    degraded: review.degraded,
    configProblems: review.configProblems,
    update: review.update ?? null,
    cost: review.cost,
  };
}
