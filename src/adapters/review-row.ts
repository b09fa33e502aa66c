// A written review as every store keeps it: its row, and the review as JSON.
import type { Review } from "../domain/review.ts";
import type { KeptReview } from "../ports/dashboard.ts";

export interface ReviewRow extends Omit<KeptReview, "review"> {
  readonly review: string;
}

/** A review of an older version knew of no pushes. */
export function keptReview({ review, ...row }: ReviewRow): KeptReview {
  const before = { fingerprint: "", scope: { kind: "full", reason: null }, said: [], addressed: [] };
  return { ...row, review: { ...before, ...(JSON.parse(review) as Review) } };
}
