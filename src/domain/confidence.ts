// How sure likeness in meaning is that a memory is about the same: a word, by edges that were measured for the embedder.

export const CONFIDENCES = ["high", "medium", "low", "very_low"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** Largest cosine distances of high, medium and low, ascending; what is farther is very low. */
export interface ConfidenceEdges {
  readonly high: number;
  readonly medium: number;
  readonly low: number;
}

/** @param distance raw cosine distance, 0–2 */
export function confidenceOf(distance: number, { high, medium, low }: ConfidenceEdges): Confidence {
  if (distance <= high) return "high";
  if (distance <= medium) return "medium";
  return distance <= low ? "low" : "very_low";
}
