// Ports for a repository's past reviews and the progress of their import. Methods throw as described in ports.ts.

import type { Repo } from "../domain/job.ts";
import type { HistoryProgress, PastAuthor, PastComment, PastFates, PastPull } from "../domain/memory/past-reviews.ts";
import type { RepoKey } from "../domain/memory.ts";

/** One page of a list, newest first. */
export interface PastPage<Item> {
  readonly items: readonly Item[];
  readonly hasNext: boolean;
  /** Why older items cannot be listed; null when they can, or there are none. */
  readonly cut: string | null;
}

/** The requests of the current hour. */
export interface RequestBudget {
  /** Requests made through this port. */
  readonly asked: number;
  /** False when so few are left that reviews could run short. */
  readonly isEnough: boolean;
  /** Epoch milliseconds of the next reset; null when unknown. */
  readonly until: number | null;
}

/** Reads comments on the pull requests of one repository. Cannot write. `since` is epoch milliseconds; null means all. */
export interface PastReviews {
  /** From the last response headers. */
  budget(): RequestBudget;
  openPulls(): Promise<ReadonlySet<number>>;
  onLines(page: number, since: number | null): Promise<PastPage<PastComment>>;
  inConversations(page: number, since: number | null): Promise<PastPage<PastComment>>;
  closedPulls(page: number): Promise<PastPage<PastPull>>;
  /** All comments of one pull request, of any age. */
  linesOf(pull: number): Promise<readonly PastComment[]>;
  conversationOf(pull: number): Promise<readonly PastComment[]>;
  /** Its patches up to its last head, by path; files whose patch GitHub does not show are left out. */
  patchesOf(pull: number): Promise<ReadonlyMap<string, string>>;
  /** The bodies of its reviews; reviews without one are left out. */
  reviewsOf(pull: number): Promise<readonly PastComment[]>;
  /** Who resolved the threads of these pull requests, and how the pull requests ended; `failed` is why some are missing. */
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
