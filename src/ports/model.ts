// What the rooms may ask of a language model. A model never throws and never decides.
import type { Repo } from "../domain/job.ts";
import type { ModelAnswer, ModelRequest, ModelTier, ModelUsage, Purpose } from "../domain/model.ts";

/** A language model. */
export interface Model {
  /** The names that stand in the footer and in fingerprints: `claude-sonnet-5-5`. */
  readonly names: Readonly<Record<ModelTier, string>>;
  /** How many tokens a question of this tier may hold, reply included. */
  contextTokens(tier: ModelTier): number;
  /** US$ that so many tokens would cost, or null where there is no price. */
  price(tier: ModelTier, inputTokens: number, outputTokens: number): number | null;
  /** Never rejects. */
  ask<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>>;
}

/** What models cost. US$; questions without a price count nothing. */
export interface Spending {
  /**
   * @param repo one repository; null for all of them together
   * @param since epoch milliseconds
   */
  since(repo: Pick<Repo, "host" | "id"> | null, since: number): Promise<number>;
}

/** The same, where it is written down. */
export interface SpendingBook extends Spending {
  /** @param at epoch milliseconds */
  record(repo: Pick<Repo, "host" | "id">, at: number, purpose: Purpose, usage: ModelUsage): Promise<void>;
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
  /** The operator's ceiling: US$ a calendar month (UTC) for all repositories together; null or absent: none. */
  readonly usdPerMonth?: number | null;
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
