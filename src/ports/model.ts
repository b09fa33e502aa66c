// Ports of language models. A model never throws and never decides.
import type { Budget, BudgetUsage, Reservation, ReservationRequest } from "../domain/budget.ts";
import type { Repo } from "../domain/job.ts";
import type { AllowedModel, AskableModel, ModelAnswer, ModelRequest, ModelUsage, Purpose } from "../domain/model.ts";
import type { Held } from "../ports.ts";

export interface Model extends AskableModel {
  /** What its server turned out not to take, for people. */
  learned(): readonly string[];
  /** Never rejects. */
  ask<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>>;
}

type RepoId = Pick<Repo, "host" | "id">;

/** Model spending in US$; requests without a price count as 0. */
interface Spending {
  /**
   * Of one repository, or of all. `since` (epoch milliseconds) does not apply to reservations; with
   * `outsiders` only spending caused by people without write access counts.
   */
  usage(repo: RepoId | null, since: number, outsiders?: boolean): Promise<BudgetUsage>;
}

/**
 * A job reserves money before it spends it, so that concurrent jobs do not spend the same budget
 * twice. The reservation lasts as long as the lease: a new run of the job reserves again, and a
 * dead process's reservations end when its jobs are requeued.
 */
export interface Reservations {
  /**
   * Atomically computes what each budget has left without this job's reservation, and replaces
   * that. The job's spending counts against a budget for people without write access, if given.
   *
   * @param since epoch milliseconds: the start of the month
   * @throws LeaseLost when the job is no longer held
   */
  reserve(wanted: ReservationRequest, budgets: readonly Budget[], since: number): Promise<Reservation>;
  /** Other reviews of this pull request by a model, for people without write access, since (ms). */
  outsidersReviews(since: number): Promise<number>;
  /** Releases the rest of the reservation. */
  release(): Promise<void>;
}

export interface SpendingStore extends Spending {
  /** `at` is epoch milliseconds; the asking job's reservation, if any, shrinks by the cost. */
  record(repo: RepoId, at: number, purpose: Purpose, usage: ModelUsage, held?: Held | null): Promise<void>;
  reservations(held: Held, repo: RepoId): Reservations;
}

/**
 * Model answers for unfinished reviews, by the job's key and a hash of the request, so that a retry
 * need not pay for them again. They are deleted when the review is saved (see Ledger).
 */
export interface ReplyStore {
  find(key: string, question: string): Promise<string | null>;
  /** `at` is epoch milliseconds. */
  keep(key: string, question: string, answer: string, at: number): Promise<void>;
}

/** What servers turned out not to take, as JSON by server: a restart does not try it again. */
export interface ModelLessons {
  find(server: string): Promise<string | null>;
  /** `at` is epoch milliseconds. */
  keep(server: string, lessons: string, at: number): Promise<void>;
}

export interface ModelAccess {
  readonly model: Model;
  readonly spending: Spending;
  /** Null when no job asks: then nothing is reserved. */
  readonly reservations: Reservations | null;
  /** The operator's US$ per calendar month (UTC) for all repositories together; null: none. */
  readonly usdPerMonth: number | null;
  /** The share of that limit for one repository, in percent. */
  readonly repositoryPercent: number;
  readonly delimiter: AllowedModel["delimiter"];
}

/** The limits of access where no operator sets any, no job asks and no spending is recorded. */
export const UNLIMITED = {
  spending: { usage: () => Promise.resolve({ spent: 0, aside: 0 }) },
  reservations: null,
  usdPerMonth: null,
  repositoryPercent: 100,
} as const satisfies Partial<ModelAccess>;
