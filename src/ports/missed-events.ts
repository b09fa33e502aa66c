// Ports of the sweep for missed events: the open pull requests, their newest comments, and our
// records of them. Nothing here writes to a repository. Methods may throw `Transient`.
import type { Repo, ReviewJob } from "../domain/job.ts";

/** An open pull request in a list. Times are epoch milliseconds. */
export interface OpenPull {
  readonly number: number;
  readonly headSha: string;
  readonly baseRef: string;
  readonly createdAt: number;
  /** GitHub updates it with every activity on the pull request. */
  readonly updatedAt: number;
  /** As a delivery describes it. */
  readonly described: unknown;
}

/** A comment in the form of the delivery that announced it. */
export interface MissedComment {
  readonly id: string;
  readonly event: "issue_comment" | "pull_request_review_comment";
  readonly payload: unknown;
}

/** The repositories that the App reaches, and their open pull requests. */
export interface OpenPulls {
  /** Those that are not suspended, with the time of their creation in epoch milliseconds. */
  installations(): Promise<readonly { readonly id: number; readonly createdAt: number }[]>;
  /** Metadata only: the token can read nothing else. */
  repositories(installationId: number): Promise<readonly Repo[]>;
  /**
   * Those updated since then; null when GitHub no longer shows the repository. Throws Transient
   * also when so few of the hour's requests are left that reviews could run short.
   */
  open(installationId: number, repo: Repo, since: number): Promise<readonly OpenPull[] | null>;
  /** Comments since then on these pull requests, never edited, of both kinds. Throws as `open`. */
  comments(
    installationId: number,
    repo: Repo,
    pulls: readonly OpenPull[],
    since: number,
  ): Promise<readonly MissedComment[]>;
}

/** Which refused reviews are retried. Elapsed milliseconds, so that no two clocks are compared. */
export interface RefusedAgain {
  /** Those that ended at least so long ago. */
  readonly endedForMs: number;
  /** Those that began so long ago, whenever they ended: permissions may have changed since. */
  readonly begunForMs: number;
}

/** Records of what was received and reviewed. Times are epoch milliseconds. */
export interface MissedEventStore {
  /** When each repository was last checked, by `HOST/REPO_ID`. */
  checkedAt(): Promise<ReadonlyMap<string, number>>;
  /** When the first round began: `now`, if this is the first. */
  firstRound(now: number): Promise<number>;
  /** When the last round over the installation's repositories began; null before the first. */
  lastRound(installationId: number): Promise<number | null>;
  round(installationId: number, now: number): Promise<void>;
  /**
   * Records a check of a repository. On the first one, `before` lists pull requests that are older
   * than the installation: their heads need no review, except those with an event since.
   */
  recordCheck(repo: Pick<Repo, "host" | "id">, before: readonly OpenPull[], now: number): Promise<void>;
  /**
   * True when no review of this head waits, runs or is settled. A review that GitHub refused (403
   * or 401) does not count as settled when `refused` selects it for a retry.
   */
  owes(repo: Pick<Repo, "host" | "id">, pull: OpenPull, refused: RefusedAgain): Promise<boolean>;
  recovered(since: number): Promise<number>;
}

export type AddReview = (job: ReviewJob) => Promise<void>;

/** Takes a comment as its delivery would. False if it asks nothing, or was taken before. */
export type TakeComment = (comment: MissedComment) => Promise<boolean>;
