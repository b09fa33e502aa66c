// Ports of the dashboard: figures of the work and of memory. Methods may throw
// `Transient`. Days are epoch milliseconds of midnight, UTC.
import type { LoggedRetrieval } from "../domain/figures/logged-retrieval.ts";
import type { Corpus, Outcome, RepoKey } from "../domain/memory.ts";
import type { Purpose } from "../domain/model.ts";
import type { Review } from "../domain/review.ts";
import type { JobState } from "./jobs.ts";

interface Slice {
  readonly skip: number;
  readonly most: number;
}

export interface KeptReview {
  /** `HOST/REPO_ID#NUMBER` */
  readonly key: string;
  readonly review: Review;
  readonly writtenAt: number;
  /** Null until it is settled. */
  readonly settledAt: number | null;
  /** `posted`, or why it was not; null until it is settled. */
  readonly outcome: string | null;
}

/** Decided findings: taken up by people or commits, declined by people; and all that were made. */
interface Decided {
  readonly taken: number;
  readonly declined: number;
  readonly all: number;
}

export interface DayCount {
  readonly day: number;
  readonly name: string;
  readonly count: number;
}

/** Model cost of a day, for one purpose. */
export interface DaySpending {
  readonly day: number;
  readonly purpose: Purpose;
  readonly questions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Questions to a model without a price count as 0. */
  readonly usd: number;
}

/** Reads figures of the work. `of` null is all repositories. */
export interface WorkFigures {
  /** Newest first. */
  reviews(
    of: RepoKey | null,
    slice: Slice,
  ): Promise<{ readonly total: number; readonly reviews: readonly KeptReview[] }>;
  review(key: string, headSha: string): Promise<KeptReview | null>;
  /** Who opened pull requests, as `@login` by key; without those whose author is not known. */
  authors(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Reviews written since, by outcome; `not settled` until they have one. */
  reviewDays(of: RepoKey | null, since: number): Promise<readonly DayCount[]>;
  reviewed(): Promise<
    readonly { readonly repo: RepoKey; readonly reviews: number; readonly posted: number; readonly lastAt: number }[]
  >;
  /** The last retrieval for a review of the pull request until then; null when none was logged. */
  retrievalBefore(repo: RepoKey, pull: number, at: number): Promise<LoggedRetrieval | null>;
  /** Milliseconds from an accepted event to its posted review, of the newest so many since. */
  reviewTimes(of: RepoKey | null, since: number, most: number): Promise<readonly number[]>;
  spendingDays(of: RepoKey | null, since: number): Promise<readonly DaySpending[]>;
  jobCounts(): Promise<readonly { readonly lane: string; readonly state: JobState; readonly count: number }[]>;
}

interface MemoryList {
  readonly corpus: Corpus | null;
  readonly outcome: Outcome | null;
  /** Canonical id. */
  readonly language: string | null;
}

export interface RuleDecisions extends Decided {
  readonly rule: string;
}

export interface PullDecisions extends Decided {
  readonly repo: RepoKey;
  readonly pull: number;
}

/** Reads figures of memory. `of` null is all repositories. */
export interface MemoryFigures {
  /**
   * How many memories a repository has, by a query alone: no index of a search is loaded for it.
   */
  memoryCount(of: RepoKey): Promise<number>;
  findingOutcomes(
    of: RepoKey | null,
  ): Promise<readonly { readonly outcome: Outcome | "none"; readonly count: number }[]>;
  decidedDays(of: RepoKey | null, since: number): Promise<readonly DayCount[]>;
  /** Ids, the newest first. */
  memories(
    of: RepoKey | null,
    list: MemoryList,
    slice: Slice,
  ): Promise<{ readonly total: number; readonly ids: readonly { readonly repo: RepoKey; readonly id: string }[] }>;
  decidedRules(of: RepoKey | null, most: number): Promise<readonly RuleDecisions[]>;
  decidedPulls(of: RepoKey | null, most: number): Promise<readonly PullDecisions[]>;
}
