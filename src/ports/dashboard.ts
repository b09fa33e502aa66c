// What the dashboard reads beside the ports that reviews use: figures of the work (beside the queue) and of memory, and the
// marks of conventions that a person took over. Methods may throw `Transient`. Days are epoch milliseconds of midnight, UTC.
import type { LoggedRetrieval } from "../domain/figures/logged-retrieval.ts";
import type { Corpus, Outcome, RepoKey } from "../domain/memory.ts";
import type { Purpose } from "../domain/model.ts";
import type { Review } from "../domain/review.ts";
import type { JobState } from "./jobs.ts";

/** A part of a list. */
export interface Slice {
  readonly skip: number;
  readonly most: number;
}

/** A written review as it is kept. Times are epoch milliseconds. */
export interface KeptReview {
  /** `HOST/REPO_ID#NUMBER` */
  readonly key: string;
  readonly review: Review;
  readonly writtenAt: number;
  /** Null while it is not settled. */
  readonly settledAt: number | null;
  /** `posted`, or why it was not; null while it is not settled. */
  readonly outcome: string | null;
}

/** How often something came about on a day. */
export interface DayCount {
  readonly day: number;
  readonly name: string;
  readonly count: number;
}

/** What models cost on a day, for one purpose. */
export interface DaySpending {
  readonly day: number;
  readonly purpose: Purpose;
  readonly questions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Questions to a model without a price count as 0. */
  readonly usd: number;
}

/** Reads what was done. `of` null is all repositories. */
export interface WorkFigures {
  /** Newest first. */
  reviews(
    of: RepoKey | null,
    slice: Slice,
  ): Promise<{ readonly total: number; readonly reviews: readonly KeptReview[] }>;
  /** The latest of a head; null when there is none. */
  review(key: string, headSha: string): Promise<KeptReview | null>;
  /** Reviews written since, by what became of them; `not settled` while nothing did. */
  reviewDays(of: RepoKey | null, since: number): Promise<readonly DayCount[]>;
  /** Repositories with reviews. */
  reviewed(): Promise<
    readonly { readonly repo: RepoKey; readonly reviews: number; readonly posted: number; readonly lastAt: number }[]
  >;
  /** What a review of a pull request last retrieved until then; null when nothing was written down. */
  retrievalBefore(repo: RepoKey, pull: number, at: number): Promise<LoggedRetrieval | null>;
  /** Searches since, the newest so many, oldest first. */
  searchTimes(
    of: RepoKey | null,
    since: number,
    most: number,
  ): Promise<readonly { readonly at: number; readonly ms: number }[]>;
  spendingDays(of: RepoKey | null, since: number): Promise<readonly DaySpending[]>;
  jobCounts(): Promise<readonly { readonly lane: string; readonly state: JobState; readonly count: number }[]>;
}

/** Which memories of a repository are listed; null asks nothing. */
export interface MemoryList {
  readonly corpus: Corpus | null;
  readonly outcome: Outcome | null;
  /** Canonical id. */
  readonly language: string | null;
}

/** Counts and lists what is remembered. `of` null is all repositories. */
export interface MemoryFigures {
  /** How many findings of ours have which outcome; `none` without one. */
  findingOutcomes(
    of: RepoKey | null,
  ): Promise<readonly { readonly outcome: Outcome | "none"; readonly count: number }[]>;
  /** Findings that were decided since, by outcome, on the day that decided it. */
  decidedDays(of: RepoKey | null, since: number): Promise<readonly DayCount[]>;
  /** What was said last first. */
  memories(
    of: RepoKey | null,
    list: MemoryList,
    slice: Slice,
  ): Promise<{ readonly total: number; readonly ids: readonly { readonly repo: RepoKey; readonly id: string }[] }>;
  /** How many findings of a rule are remembered, and how many of them people declined; the most declined first, none without. */
  declinedRules(
    of: RepoKey | null,
    most: number,
  ): Promise<readonly { readonly rule: string; readonly declined: number; readonly all: number }[]>;
}

/** Which recurring comments a person made a rule of, by one of their memories: the mark goes with it. Epoch milliseconds. */
export interface ConventionMarks {
  taken(repo: RepoKey): Promise<ReadonlyMap<string, number>>;
  /** False when there is no such memory. */
  take(repo: RepoKey, memoryId: string, at: number): Promise<boolean>;
  /** Returns how many marks went. */
  untake(repo: RepoKey, memoryIds: readonly string[]): Promise<number>;
}
