// Older memories count less: half as much every 90 days, but never nothing; what was severe fades less.
import type { Severity } from "../../domain/finding.ts";
import type { Outcome } from "../../domain/memory.ts";

const DAY_MS = 86_400_000;

/** After this many days a memory's freshness has halved. */
const HALF_LIFE_DAYS = 90;
const FLOOR = 0.15;
const SEVERE_FLOOR = 0.3;

/** How much a memory of today rises in a fused score. Small: fused ranks lie 2 % apart, and age alone must not order them. */
export const FRESH_BOOST = 0.15;

interface Dated {
  /** Epoch milliseconds at which it was said; null when unknown. */
  readonly at: number | null;
  readonly severity: Severity | null;
}

/**
 * How fresh a memory is: .5^(age / half-life), at least .3 for critical and major ones, .15 for others. 1 without a date.
 * What lies in the future is of today.
 *
 * @param now epoch milliseconds
 */
function freshness({ at, severity }: Dated, now: number, halfLifeDays: number = HALF_LIFE_DAYS): number {
  if (at === null || !Number.isFinite(at)) return 1;
  const age = Math.max(0, now - at) / DAY_MS;
  const floor = severity === "critical" || severity === "major" ? SEVERE_FLOOR : FLOOR;
  return Math.max(0.5 ** (age / halfLifeDays), floor);
}

/** What a distance is multiplied with, after the language step: 2 − freshness, so 1–1.85. 1 without a date. */
export function recencyDistanceFactor(memory: Dated, now: number, halfLifeDays?: number): number {
  return 2 - freshness(memory, now, halfLifeDays);
}

/** What a fused score is multiplied with: 1 + .15 × freshness, so 1.02–1.15. 1 without a date. */
export function recencyScoreFactor(memory: Dated, now: number): number {
  return memory.at === null || !Number.isFinite(memory.at) ? 1 : 1 + FRESH_BOOST * freshness(memory, now);
}

// What became of a remembered finding weighs a little: people's consent is a hint of worth, not of relevance.

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
