// What did not happen, as values: every skip, cut and fallback travels with the result to the footer of the review.
import type { FailOn } from "../config/repo-config.ts";

/** A changed file that is not reviewed. */
export interface LeftOut {
  readonly path: string;
  /** One sentence fragment: "lock file", "generated (header says DO NOT EDIT)". */
  readonly reason: string;
}

/** A degraded part: `part` is a stable word such as `author-tier` or `head-text`. */
export interface Degraded {
  readonly part: string;
  readonly reason: string;
}

/** The pull request is not reviewed, by policy. Not an error. */
export interface Skipped {
  readonly kind: "skipped";
  readonly reason: string;
  /** The unreviewed head, when its repository wants check runs: a required check must end. */
  readonly check?: { readonly headSha: string; readonly failOn: FailOn };
}

/**
 * The cost of a review. Tokens and US$ are 0 without a model; US$ are null when the model has no price (a local one).
 * `ms` is wall time of the whole review.
 */
export interface Cost {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
  readonly ms: number;
}

/**
 * The owner of a monthly budget: the repository, its outsiders (people without write access), the operator for all
 * repositories, or one repository's share of the operator's.
 */
export type BudgetName = "repository" | "outsiders" | "operator" | "share";

/** The models' cost this calendar month (UTC), against a budget. */
export interface MonthSpending {
  readonly whose: BudgetName;
  /** US$ spent. */
  readonly usd: number;
  /** US$ that may be spent. */
  readonly of: number;
}
