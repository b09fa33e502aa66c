// What did not happen, said as values: every skip, cut and fallback rides on a result to the footer of the review.
import type { FailOn } from "../config/repo-config.ts";

/** A changed file that is not reviewed. */
export interface LeftOut {
  readonly path: string;
  /** One sentence fragment: "lock file", "generated (header says DO NOT EDIT)". */
  readonly reason: string;
}

/** A part that worked less well than it should: `part` is a stable word such as `author-tier` or `head-text`. */
export interface Degraded {
  readonly part: string;
  readonly reason: string;
}

/** The pull request is not reviewed, by policy. Not an error. */
export interface Skipped {
  readonly kind: "skipped";
  readonly reason: string;
  /** The head that is not reviewed, where its repository wants check runs: a required check must come to an end. */
  readonly check?: { readonly headSha: string; readonly failOn: FailOn };
}

/**
 * What a review cost. Tokens and US$ are 0 without a model; US$ are null where the model has no price (a local one). `ms` is
 * wall time of the whole review.
 */
export interface Cost {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
  readonly ms: number;
}

/** What models cost this calendar month (UTC), against a budget. */
export interface MonthSpending {
  /** Whose budget: the repository's own, or the operator's for all repositories. */
  readonly whose: "repository" | "operator";
  /** US$ spent. */
  readonly usd: number;
  /** US$ that may be spent. */
  readonly of: number;
}
