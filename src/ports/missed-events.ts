// Ports of the sweeps for missed events: GitHub's log of deliveries, the open pull requests, and our records of both.
// Nothing here writes to a repository. Methods may throw `Transient`.
import type { Repo, ReviewJob } from "../domain/job.ts";

export interface LoggedDelivery {
  /** The attempt's own id; 64 bits, hence a string of digits. */
  readonly id: string;
  /** X-GitHub-Delivery: the same for every attempt of one delivery. */
  readonly guid: string;
  readonly event: string;
  /** Null when the event has none. */
  readonly action: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether it was answered with 2xx. */
  readonly succeeded: boolean;
}

/** GitHub's log of deliveries, which covers the last three days. */
export interface DeliveryLog {
  /** One page, newest first; `next` is null on the last one. */
  page(cursor: string | null): Promise<{
    readonly deliveries: readonly LoggedDelivery[];
    readonly next: string | null;
  }>;
  /** Asks GitHub to deliver it again; "expired" when it no longer can. */
  redeliver(id: string): Promise<"asked" | "expired">;
}

/** An open pull request in a list. Times are epoch milliseconds. */
export interface OpenPull {
  readonly number: number;
  readonly headSha: string;
  readonly createdAt: number;
  /** GitHub updates it with every activity on the pull request. */
  readonly updatedAt: number;
}

/** The repositories that the App reaches, and their open pull requests. */
export interface OpenPulls {
  /** Those that are not suspended, with the time of their creation in epoch milliseconds. */
  installations(): Promise<readonly { readonly id: number; readonly createdAt: number }[]>;
  /** Metadata only: the token can read nothing else. */
  repositories(installationId: number): Promise<readonly Repo[]>;
  /**
   * Those updated since then; null when GitHub no longer shows the repository. Throws Transient also when so few of the hour's requests
   * are left that reviews could run short.
   */
  open(installationId: number, repo: Repo, since: number): Promise<readonly OpenPull[] | null>;
}

/** Which refused reviews are retried. Elapsed milliseconds, so that no two clocks are compared. */
export interface RefusedAgain {
  /** Those that ended at least so long ago. */
  readonly endedForMs: number;
  /** Those that began at least so long ago, whenever they ended: the App's permissions may have changed since. */
  readonly begunForMs: number;
}

/** Records of what was received, redelivered and reviewed. Times are epoch milliseconds. */
export interface MissedEventStore {
  /** Filters these to those that were neither accepted nor requested again. */
  unknown(guids: readonly string[]): Promise<readonly string[]>;
  /** Records a redelivery request before it is sent, so that none is sent twice. False when it was recorded before. */
  asking(guid: string, now: number): Promise<boolean>;
  /** Up to when GitHub's log was read; null before the first sweep. */
  sweptTo(): Promise<number | null>;
  swept(to: number): Promise<void>;
  /** When each repository was last checked, by `HOST/REPO_ID`. */
  lookedAt(): Promise<ReadonlyMap<string, number>>;
  /** When the first round began: `now`, if this is the first. */
  firstRound(now: number): Promise<number>;
  /** When the last round that checked each repository of the installation at least once began; null before the first. */
  lastRound(installationId: number): Promise<number | null>;
  round(installationId: number, now: number): Promise<void>;
  /**
   * Records a check of a repository. On the first one, `before` lists pull requests that are older than the installation: their heads
   * need no review, except those with an event since.
   */
  looked(repo: Pick<Repo, "host" | "id">, before: readonly OpenPull[], now: number): Promise<void>;
  /**
   * True when no review of this head waits, runs or is settled. A review that GitHub refused (403 or 401) does not count as
   * settled when `refused` selects it for a retry.
   */
  owes(repo: Pick<Repo, "host" | "id">, pull: OpenPull, refused: RefusedAgain): Promise<boolean>;
  /** How much was recovered since then. */
  counts(since: number): Promise<{ readonly deliveries: number; readonly heads: number }>;
}

export type AddReview = (job: ReviewJob) => Promise<void>;
