// The machine-readable review. Documented in docs/review-json.md; a change that breaks readers raises `version`.
import type { Review } from "../domain/review.ts";

/** The review as plain JSON, version 1. Findings are in the order in which people see them. */
export function reviewJson(review: Review) {
  return {
    version: 1,
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
