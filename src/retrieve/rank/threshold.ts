// How near a memory must be to count as relevant: the configured cosine distance, or a smaller one
// that follows from the candidates.
import type { Knowledge } from "../../config/knowledge.ts";
import { inverseFrequency } from "../../domain/text/bm25.ts";

/** The relevant cosine distance without an embedder's calibration. */
const DEFAULT_THRESHOLD = 0.3;

export interface ThresholdSettings {
  /** Least candidates for a gap in their distances to be significant. */
  readonly minCandidates: number;
  readonly minGap: number;
  /** Without such a gap, this part of the candidates is admitted. */
  readonly percentile: number;
  /** Candidates as near as this are always admitted; null: half of the configured distance. */
  readonly floor: number | null;
  /** Never more than this, and never more than configured. */
  readonly ceiling: number | null;
}

const THRESHOLD: ThresholdSettings = { minCandidates: 8, minGap: 0.05, percentile: 0.75, floor: null, ceiling: null };

/** Largest relevant cosine distance: as configured, else as the embedder is calibrated. */
export function configuredThreshold(
  { distanceThreshold }: Pick<Knowledge["retrieval"], "distanceThreshold">,
  embedder: { readonly threshold: number } | null,
): number {
  return distanceThreshold === "auto" ? (embedder?.threshold ?? DEFAULT_THRESHOLD) : distanceThreshold;
}

export interface Threshold {
  /** Largest admitted raw cosine distance. */
  readonly threshold: number;
  readonly method: "configured" | "gap" | "percentile";
  readonly candidateCount: number;
  /** The largest gap between neighbours, or null with fewer than two. */
  readonly gapSize: number | null;
}

/**
 * The threshold for a list of candidates.
 *
 * With at least 8 candidates and a gap of at least .05 between neighbours: the distance before the
 * largest gap. Else the 75th percentile (nearest rank). Never above the configured distance, and
 * not below half of it, so that a handful of very near memories does not shut out the next.
 *
 * @param distances raw cosine distances, in any order, before any language or recency step;
 * non-finite values are ignored
 * @param configured from the embedder's calibration or the configuration, 0–2
 */
export function adaptiveThreshold(
  distances: readonly number[],
  configured: number,
  settings: Partial<ThresholdSettings> = {},
): Threshold {
  const { minCandidates, minGap, percentile, floor, ceiling } = { ...THRESHOLD, ...settings };
  const sorted = distances.filter(Number.isFinite).sort((a, b) => a - b);
  const gap = largestGap(sorted);
  const counted = { candidateCount: sorted.length, gapSize: gap?.size ?? null };
  if (sorted.length === 0) return { threshold: configured, method: "configured", ...counted };
  const byGap = gap !== null && sorted.length >= minCandidates && gap.size >= minGap;
  const suggested = byGap ? gap.before : (sorted[Math.ceil(percentile * sorted.length) - 1] ?? sorted[0] ?? configured);
  const atLeast = Math.max(suggested, floor ?? configured / 2);
  if (atLeast >= configured) return { threshold: configured, method: "configured", ...counted };
  return { threshold: Math.min(atLeast, ceiling ?? configured), method: byGap ? "gap" : "percentile", ...counted };
}

function largestGap(sorted: readonly number[]): { readonly before: number; readonly size: number } | null {
  let largest: { before: number; size: number } | null = null;
  for (let at = 1; at < sorted.length; at += 1) {
    const before = sorted[at - 1] ?? 0;
    const size = (sorted[at] ?? 0) - before;
    if (largest === null || size > largest.size) largest = { before, size };
  }
  return largest;
}

/**
 * The smallest probability of being to the point that admits a memory whose distance does not: half
 * the share of labelled ones among all candidates of task G. Any from .012 to .016 is the same step
 * of the calibration for comments. .01 is the step below: it shows a labelled memory in .008 [.000,
 * .020] more of the changes, and what is about something else in a case of eval/order.
 */
export const LEAST_PROBABILITY = 0.015;

// A probability counts place, which alone says nothing: what it admits needs words too.

/**
 * A memory must weigh as much in BM25 as this part of a word that occurs in one memory of the
 * repository and nowhere else. Of the candidates of task G (247 changes) .75 keeps all labelled
 * ones and 97.4 % of all others, 1 keeps 99.7 % and 95.6 %, 1.4 keeps
 * 99.3 % and 92.6 %. The cases of eval/order pass with .7 to .8: two words of everyday use,
 * "redirect" and "next", weigh that much.
 */
const RARE_WORDS = 0.75;

/**
 * The smallest relevant BM25 score, in the rarity by which BM25 adds up shared words.
 *
 * @param memories in scope; 0 or unknown (null) gives 0: nothing is known that could reject a hit
 */
export function keywordFloor(memories: number | null): number {
  if (memories === null || memories <= 0) return 0;
  return RARE_WORDS * inverseFrequency(memories, 1, 0);
}
