// What the sweeps for missed events may ask: GitHub's own log of what it delivered, the pull requests that are open, and our
// records of both. Nothing here writes to a repository. Methods may throw `Transient`.
import type { Repo, ReviewJob } from "../domain/job.ts";

/** One attempt of GitHub's to deliver something to us. */
export interface LoggedDelivery {
  /** The attempt's own number; 64 bits, so a text of digits. */
  readonly id: string;
  /** X-GitHub-Delivery: the same for every attempt of one delivery. */
  readonly guid: string;
  readonly event: string;
  /** Null where the event has none. */
  readonly action: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether GitHub was answered with 2xx. */
  readonly succeeded: boolean;
}

/** GitHub's log of deliveries: of the last three days, and all that there is. */
export interface DeliveryLog {
  /** One page, newest first; `next` is null on the last one. */
  page(cursor: string | null): Promise<{
    readonly deliveries: readonly LoggedDelivery[];
    readonly next: string | null;
  }>;
  /** Has GitHub deliver it once more; "gone" when it no longer can. */
  redeliver(id: string): Promise<"asked" | "gone">;
}

/** An open pull request as a list tells it. Times are epoch milliseconds. */
export interface OpenPull {
  readonly number: number;
  readonly headSha: string;
  readonly createdAt: number;
  /** GitHub changes it with whatever happens to the pull request. */
  readonly updatedAt: number;
}

/** What the App reaches, and what is open there. */
export interface OpenPulls {
  /** Installations that are not suspended. */
  installations(): Promise<readonly number[]>;
  /** Names only: with a token that reads nothing else. */
  repositories(installationId: number): Promise<readonly Repo[]>;
  /**
   * Open pull requests that something happened to since then.
   *
   * @returns null when GitHub no longer shows the repository
   * @throws Transient also when so little of the hour's requests is left that reviews could be short of them
   */
  open(installationId: number, repo: Repo, since: number): Promise<readonly OpenPull[] | null>;
}

/** Which reviews that GitHub refused are tried again. Milliseconds that passed, so that no two clocks are compared. */
export interface RefusedAgain {
  /** Those that ended so long ago. */
  readonly endedForMs: number;
  /** Those that began so long ago, whenever they ended: they may have been refused for permissions that the App had then. */
  readonly begunForMs: number;
}

/** What was received, asked for again and reviewed. Times are epoch milliseconds. */
export interface MissedEventStore {
  /** Those of these that were neither accepted nor asked for again. */
  unknown(guids: readonly string[]): Promise<readonly string[]>;
  /** Written down before GitHub is asked: nothing is asked for twice. False when it was before. */
  asking(guid: string, now: number): Promise<boolean>;
  /** Up to when GitHub's log was gone through; null before the first time. */
  sweptTo(): Promise<number | null>;
  swept(to: number): Promise<void>;
  /** When each repository was last looked at, by `HOST/REPO_ID`. */
  lookedAt(): Promise<ReadonlyMap<string, number>>;
  /** When all repositories were last gone through from their first on; null before the first time. */
  lastRound(): Promise<number | null>;
  round(now: number): Promise<void>;
  /**
   * A repository was looked at. The first time, these pull requests were there before us: their heads are not owed, but for
   * those of which somebody told us meanwhile.
   *
   * @param before those older than our time
   */
  looked(repo: Pick<Repo, "host" | "id">, before: readonly OpenPull[], now: number): Promise<void>;
  /**
   * True when no review of this head waits, runs or is settled. One that GitHub refused (403 or 401) settles nothing when `refused`
   * says that it is tried again.
   */
  owes(repo: Pick<Repo, "host" | "id">, pull: OpenPull, refused: RefusedAgain): Promise<boolean>;
  /** What was recovered since then. */
  counts(since: number): Promise<{ readonly deliveries: number; readonly heads: number }>;
}

/** Puts a review into the queue. */
export type AddReview = (job: ReviewJob) => Promise<void>;
