// What became of a remembered finding weighs a little: people's consent is a hint of worth, not of relevance.
import type { Outcome } from "../domain/memory.ts";

/**
 * Factors of a fused score; our own judgement, kept within a few ranks of each other. A declined finding does not sink: it
 * must be seen, so that it is not said again. `posted` has no verdict yet and counts as nothing said.
 */
const WEIGHTS: Readonly<Record<Outcome, number>> = {
  reintroduced: 1.1,
  fixed: 1.05,
  accepted: 1.05,
  posted: 1,
  declined: 1,
  outdated: 0.95,
};

export const MOST_OUTCOME_WEIGHT = Math.max(...Object.values(WEIGHTS));

/** The factor for an outcome; 1 when there is none. */
export function outcomeWeight(outcome: Outcome | null): number {
  return outcome === null ? 1 : WEIGHTS[outcome];
}
