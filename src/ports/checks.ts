// Ports for check runs and the wait after a push. Methods may throw `Transient`.
import type { FailOn } from "../config/repo-config.ts";
import type { Repo } from "../domain/job.ts";
import type { CheckEnd, Conclusion } from "../domain/review.ts";

/** How long a push waits for the next one, from each repository's last known configuration. */
export interface PushWaits {
  /** Milliseconds; null when the repository is unknown. */
  of(repo: Pick<Repo, "host" | "id">): Promise<number | null>;
  learn(repo: Pick<Repo, "host" | "id">, ms: number): Promise<void>;
}

/** Begins and ends check runs of one repository, and does nothing else there. */
export interface Checks {
  /**
   * Creates a check run in progress for the pull request `number`, which a re-run names; returns
   * its id. The same previous one on this head (`after`) always yields the same.
   */
  begin(repo: Repo, number: number, headSha: string, after: number | null): Promise<number>;
  /** Completes it; a second call replaces the conclusion. */
  end(repo: Repo, id: number, end: CheckEnd): Promise<void>;
}

/** A check run that was begun, with everything needed to end it. */
export interface BegunCheck {
  /** GitHub's id. */
  readonly id: number;
  /** Of the job that began it. */
  readonly key: string;
  readonly repo: Repo;
  readonly installationId: number;
  readonly headSha: string;
  /** The branch that the pull request went into; "" where it is not known. */
  readonly baseRef: string;
  readonly failOn: FailOn;
}

/** Result of the newest review of a head, for one pull request and one base branch. */
export interface Verdict {
  readonly key: string;
  readonly baseRef: string;
  readonly conclusion: Conclusion;
}

export interface KeptCheck extends BegunCheck {
  readonly isOpen: boolean;
  /** As sent to GitHub, or about to be; null before. */
  readonly conclusion: Conclusion | null;
  /** Its conclusion when that is decided but not yet sent to GitHub. */
  readonly end: CheckEnd | null;
}

/** Check runs that were begun, stored so that none stays in progress if the process dies. */
export interface CheckStore {
  begun(check: BegunCheck, now: number): Promise<void>;
  /** The last one on this head, ended or not; null when none was begun. */
  on(key: string, headSha: string): Promise<KeptCheck | null>;
  open(key: string): Promise<readonly KeptCheck[]>;
  /** The newest on this head, of any pull request: what GitHub shows. Null without one. */
  newest(repo: Pick<Repo, "host" | "id">, headSha: string): Promise<KeptCheck | null>;
  /** The newest verdicts on a head, by pull request and by branch that it went into. */
  verdicts(repo: Pick<Repo, "host" | "id">, headSha: string): Promise<readonly Verdict[]>;
  /** Records the result of a pull request's review, whatever the check run shows. */
  judge(id: number, verdict: Conclusion): Promise<void>;
  /** Records its conclusion, before it is sent to GitHub. */
  decide(id: number, end: CheckEnd): Promise<void>;
  ended(id: number, now: number): Promise<void>;
  /**
   * Those that no job will end: without a job, or begun more than `patienceMs` ago. After `LEFT_MS`
   * of refusals by GitHub only another review of the pull request tries again.
   */
  left(now: number, patienceMs: number): Promise<readonly (KeptCheck & { readonly why: "no-job" | "late" })[]>;
}
