// What did not happen, as values: every skip, cut and fallback travels with the result to the
// footer of the review.
import type { FailOn } from "../config/repo-config.ts";

/** A changed file that is not reviewed. */
export interface LeftOut {
  readonly path: string;
  /** One sentence fragment: "lock file", "generated (header says DO NOT EDIT)". */
  readonly reason: string;
  /**
   * True where nothing had to be read: a lock file, what the base's `.gitattributes` marks, a file
   * of which no line changed.
   */
  readonly isExempt?: true;
  /**
   * True where rules read it, and only the model does not: nothing but the change itself shows it
   * as generated or vendored.
   */
  readonly isSpared?: true;
}

/** A degraded part: `part` is a stable word such as `author-tier` or `head-text`. */
export interface Degraded {
  readonly part: string;
  readonly reason: string;
  /**
   * Changed files that were not wholly read for this reason; empty where they are not known.
   * Absent: it is not about reading.
   */
  readonly paths?: readonly string[];
}

/** Source of the change that was not wholly read, and why. */
export interface Unread {
  /** Null where not even its name is known. */
  readonly path: string | null;
  readonly reason: string;
}

/** Why a submodule is left out. It may hold any code, also under the name of a text. */
export const SUBMODULE = "submodule";

/**
 * Prose, pictures, sounds and fonts: nothing of them runs. Everything else counts as source, and so
 * does what build tools read.
 */
const NOT_SOURCE =
  /\.(?:md|markdown|rst|adoc|png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|mp[34]|m4[av]|webm|mov|ogg|wav|flac|woff2?|ttf|otf|eot|csv|tsv)$|(?<!(?:^|\/)(?:cmakelists|(?:\w{1,20}-)?requirements[\w.-]{0,40}|constraints))\.txt$/i;

export function isSource({ path }: { readonly path: string }): boolean {
  return !NOT_SOURCE.test(path);
}

/**
 * The source of a change that was not wholly read, each file once, with the first reason.
 *
 * @param leftOut what nobody read
 * @param degraded what was read in part
 */
export function unreadSource(leftOut: readonly LeftOut[], degraded: readonly Degraded[]): readonly Unread[] {
  const all: readonly Unread[] = [
    ...leftOut.filter(({ isExempt, isSpared }) => isExempt !== true && isSpared !== true),
    ...degraded.flatMap(({ reason, paths }): readonly Unread[] => {
      if (paths === undefined) return [];
      return paths.length === 0 ? [{ path: null, reason }] : paths.map((path) => ({ path, reason }));
    }),
  ];
  const source = all.filter(({ path, reason }) => path === null || reason === SUBMODULE || isSource({ path }));
  return [
    ...new Map(source.toReversed().map(({ path, reason }) => [path ?? reason, { path, reason }])).values(),
  ].toReversed();
}

/** What the check run of an unreviewed head depends on. */
export interface SkippedCheck {
  readonly headSha: string;
  readonly baseRef: string;
  readonly failOn: FailOn;
  /** The author, who alone brought the reason about; null where others did. */
  readonly author: { readonly id: number; readonly login: string } | null;
}

/** The pull request is not reviewed, by policy. Not an error. */
export interface Skipped {
  readonly kind: "skipped";
  readonly reason: string;
  /** The unreviewed head, when its repository wants check runs: a required check must end. */
  readonly check?: SkippedCheck;
  /** True where a person stopped the review. */
  readonly isStopped?: true;
}

/**
 * The cost of a review. Tokens and US$ are 0 without a model; US$ are null when the model has no
 * price (a local one). `ms` is wall time of the whole review.
 */
export interface Cost {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
  readonly ms: number;
}

/**
 * The owner of a monthly budget: the repository, its outsiders (people without write access), the
 * operator for all repositories, or one repository's share of the operator's.
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
