// What the rooms may ask of a language model. A model never throws and never decides.
import type { Budget, BudgetUsage, Reservation, ReservationRequest } from "../domain/budget.ts";
import type { Repo } from "../domain/job.ts";
import type { ModelAnswer, ModelRequest, ModelTier, ModelUsage, Purpose } from "../domain/model.ts";
import type { Held } from "../ports.ts";

/** A language model. */
export interface Model {
  /** The names that stand in the footer and in fingerprints: `claude-sonnet-5-5`. */
  readonly names: Readonly<Record<ModelTier, string>>;
  /** How many tokens a question of this tier may hold, reply included. */
  contextTokens(tier: ModelTier): number;
  /** US$ that so many tokens would cost, or null where there is no price. */
  price(tier: ModelTier, inputTokens: number, outputTokens: number): number | null;
  /** What is sent in place of a text by others: its secrets masked, line by line. Absent: the text itself. */
  readonly mask?: (text: string) => Promise<string>;
  /** Never rejects. */
  ask<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>>;
}

/** What models cost. US$; questions without a price count nothing. */
export interface Spending {
  /**
   * @param repo one repository; null for all of them together
   * @param since epoch milliseconds: of what was spent, not of what is set aside
   * @param outsiders only what people without write access caused
   */
  purse(repo: Pick<Repo, "host" | "id"> | null, since: number, outsiders?: boolean): Promise<BudgetUsage>;
}

/**
 * Money that a job sets aside before it spends it, so that of jobs that run at the same time none counts on what another has. It
 * is the job's for as long as the job is held: whoever begins it again sets aside anew, and what a dead process set aside is
 * anybody's once its jobs are taken back.
 */
export interface Reserve {
  /**
   * In one step: looks what each budget has left, without what this job set aside before, and sets that much aside instead. Where
   * one of the budgets is that of people without write access, what the job spends counts as theirs.
   *
   * @param since epoch milliseconds: when the month began
   * @throws LeaseLost when the job is not held any more
   */
  book(wanted: ReservationRequest, budgets: readonly Budget[], since: number): Promise<Reservation>;
  /**
   * How many other reviews of the job's pull request asked a model for people without write access.
   *
   * @param since epoch milliseconds
   */
  outsidersReviews(since: number): Promise<number>;
  /** The job spends no more: what is left of it is anybody's. */
  release(): Promise<void>;
}

/** The same, where it is written down. */
export interface SpendingBook extends Spending {
  /**
   * @param at epoch milliseconds
   * @param held the job that asked: what it cost comes off what the job has set aside; null or absent: nothing was
   */
  record(
    repo: Pick<Repo, "host" | "id">,
    at: number,
    purpose: Purpose,
    usage: ModelUsage,
    held?: Held | null,
  ): Promise<void>;
  /** What a job of this repository sets aside. */
  reserve(held: Held, repo: Pick<Repo, "host" | "id">): Reserve;
}

/**
 * Answers to questions of reviews that are not written yet, so that whoever begins such a review again need not pay for them
 * again. They go when the review is saved (see Ledger).
 */
export interface ReplyBook {
  /** @returns the answer as it was kept, or null */
  find(key: string, question: string): Promise<string | null>;
  /**
   * @param key of the review job
   * @param question a hash of what was asked
   * @param at epoch milliseconds
   */
  keep(key: string, question: string, answer: string, at: number): Promise<void>;
}

/** All that asking a model takes. */
export interface ModelAccess {
  readonly model: Model;
  readonly spending: Spending;
  /** Null or absent where no job asks: then nothing is set aside. */
  readonly reserve?: Reserve | null;
  /** The operator's ceiling: US$ a calendar month (UTC) for all repositories together; null or absent: none. */
  readonly usdPerMonth?: number | null;
  /** How much of that one repository may use, in percent; absent: all. */
  readonly repositoryPercent?: number;
  /** What fences text by others in a prompt: `kodiai-` and 16 or more hex digits that nobody can guess; another one each time. */
  readonly delimiter: () => string;
}

/** Leave to ask a model for one piece of work, or why there is none. */
export type ModelLeave =
  | (Pick<ModelAccess, "model" | "delimiter"> & {
      /** US$ that this piece of work may cost. */
      readonly usd: number;
      /** Aborted when the work is no longer wanted. */
      readonly signal?: AbortSignal;
    })
  | {
      readonly model: null;
      /** Null where nobody expects a model. */
      readonly reason: string | null;
    };
