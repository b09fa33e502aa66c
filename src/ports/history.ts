// Ports for past reviews and the progress of their import. Methods throw as in ports.ts.

import type { Repo } from "../domain/job.ts";
import type { HistoryProgress, PastAuthor, PastComment, PastFates, PastPull } from "../domain/memory/past-reviews.ts";
import type { RepoKey } from "../domain/memory.ts";

/** One page of a repository's closed pull requests. */
export interface PastPage {
  readonly items: readonly PastPull[];
  readonly hasNext: boolean;
  /** Why older items cannot be listed; null when they can, or there are none. */
  readonly cut: string | null;
}

/** The requests of the current hour. */
export interface RequestBudget {
  /** Requests made through this port. */
  readonly sent: number;
  /** False when so few are left that reviews could run short. */
  readonly isEnough: boolean;
  /** Epoch milliseconds of the next reset; null when unknown. */
  readonly until: number | null;
}

/** Reads comments on the pull requests of one repository. Cannot write. */
export interface PastReviews {
  /** From the last response headers. */
  budget(): RequestBudget;
  /** Pages of twenty, the last changed first. */
  closedPulls(page: number): Promise<PastPage>;
  isOpen(pull: number): Promise<boolean>;
  /** On lines, in the conversation, and the texts of its reviews. */
  commentsOn(pull: number): Promise<readonly PastComment[]>;
  /** Patches up to its last head, by path; without files whose patch GitHub does not show. */
  patchesOf(pull: number): Promise<ReadonlyMap<string, string>>;
  /** Who resolved the threads, and how the pull requests ended; `failed`: why some are missing. */
  fates(pulls: readonly number[]): Promise<PastFates & { readonly failed: string | null }>;
  /** Whether the author may write to the repository; null when GitHub does not say. */
  mayWrite(author: PastAuthor): Promise<boolean | null>;
}

/** Whether a review should introduce Kodiai, or the memory that exists. */
export interface Introductions {
  isFirst(repo: Pick<Repo, "host" | "id">): Promise<boolean>;
  of(repo: Pick<Repo, "host" | "id">): Promise<"first reviews" | "importing" | null>;
}

export interface HistoryStore {
  of(repo: RepoKey): Promise<HistoryProgress | null>;
  save(repo: RepoKey, progress: HistoryProgress): Promise<void>;
}
