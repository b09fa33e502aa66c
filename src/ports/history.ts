// What may be asked about a repository's past reviews, and where the import of them is written down. Methods may throw as
// ports.ts says.

import type { Repo } from "../domain/job.ts";
import type { HistoryProgress, PastAuthor, PastComment, PastFates, PastPull } from "../domain/memory/past-reviews.ts";
import type { RepoKey } from "../domain/memory.ts";

/** One page of a list, newest first. */
export interface PastPage<Item> {
  readonly items: readonly Item[];
  readonly hasNext: boolean;
  /** Why what is older cannot be listed; null when it can, or there is nothing older. */
  readonly cut: string | null;
}

/** The requests of the current hour. */
export interface RequestBudget {
  /** Requests that were made through this port. */
  readonly asked: number;
  /** False when so few are left that reviews could be short of them. */
  readonly isEnough: boolean;
  /** Epoch milliseconds at which there are more; null when that is not known. */
  readonly until: number | null;
}

/** Reads what was said on the pull requests of one repository. Cannot write. `since` is epoch milliseconds, null for ever. */
export interface PastReviews {
  /** As the last answers told it. */
  budget(): RequestBudget;
  /** Pull requests on which people still talk. */
  openPulls(): Promise<ReadonlySet<number>>;
  /** Comments on lines and files, replies among them. */
  onLines(page: number, since: number | null): Promise<PastPage<PastComment>>;
  /** Comments in the conversations of pull requests. */
  inConversations(page: number, since: number | null): Promise<PastPage<PastComment>>;
  /** Closed pull requests, the last updated first. */
  closedPulls(page: number): Promise<PastPage<PastPull>>;
  /** All of one pull request's, whatever their age. */
  linesOf(pull: number): Promise<readonly PastComment[]>;
  conversationOf(pull: number): Promise<readonly PastComment[]>;
  /** By path, what it changed in its files up to its last head; files whose patch GitHub does not show are left out. */
  patchesOf(pull: number): Promise<ReadonlyMap<string, string>>;
  /** The texts of its reviews; those without one are left out. */
  reviewsOf(pull: number): Promise<readonly PastComment[]>;
  /** Who resolved the threads of these pull requests, and how those ended; `failed` says why some are not told. */
  fates(pulls: readonly number[]): Promise<PastFates & { readonly failed: string | null }>;
  /** Whether somebody may write to the repository; null when GitHub does not tell us. */
  mayWrite(author: PastAuthor): Promise<boolean | null>;
}

/** Whether a review is one that says what memory there is. */
export interface Introductions {
  of(repo: Pick<Repo, "host" | "id">): Promise<"first reviews" | "importing" | null>;
}

/** Where imports stand: one for each repository. */
export interface HistoryBook {
  of(repo: RepoKey): Promise<HistoryProgress | null>;
  save(repo: RepoKey, progress: HistoryProgress): Promise<void>;
}
