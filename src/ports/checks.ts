// What the corridors may ask of the world beside the review itself: check runs, how long pushes wait, and taking a review back.
// Methods may throw `Transient`.
import type { FailOn } from "../config/repo-config.ts";
import type { Repo } from "../domain/job.ts";
import type { CheckEnd } from "../domain/review/check.ts";

/** How long a push waits for the next one, as each repository's configuration last said. */
export interface PushWaits {
  /** Milliseconds; null when nothing is known of the repository. */
  of(repo: Pick<Repo, "host" | "id">): Promise<number | null>;
  learn(repo: Pick<Repo, "host" | "id">, ms: number): Promise<void>;
}

/** Begins and ends check runs of one repository, and does nothing else there. */
export interface Checks {
  /**
   * One that is in progress; returns its id.
   *
   * @param number the pull request, by which a request to run it again is known
   * @param after the one on this head before it, null without: again with the same it is the same check run
   */
  begin(repo: Repo, number: number, headSha: string, after: number | null): Promise<number>;
  /** Ends it; again, it says the new end. */
  end(repo: Repo, id: number, end: CheckEnd): Promise<void>;
}

/** A check run that was begun, with all that ending it takes. */
export interface BegunCheck {
  /** GitHub's. */
  readonly id: number;
  /** Of the job that began it. */
  readonly key: string;
  readonly repo: Repo;
  readonly installationId: number;
  readonly headSha: string;
  readonly failOn: FailOn;
}

/** As the book keeps it. */
export interface KeptCheck extends BegunCheck {
  readonly isOpen: boolean;
  /** How it shall end, when that is decided and GitHub was not told. */
  readonly end: CheckEnd | null;
}

/** Check runs that were begun, kept so that none stays in progress, whatever happens to the process. */
export interface CheckBook {
  begun(check: BegunCheck, now: number): Promise<void>;
  /** The last one on this head, ended or not; null when none was begun. */
  on(key: string, headSha: string): Promise<KeptCheck | null>;
  /** Those of a pull request that have not ended. */
  open(key: string): Promise<readonly KeptCheck[]>;
  /** How it shall end: kept from before GitHub is told. */
  decide(id: number, end: CheckEnd): Promise<void>;
  /** GitHub was told. */
  ended(id: number, now: number): Promise<void>;
  /** Those that nobody will end: without a job, or begun more than `patienceMs` ago. */
  left(now: number, patienceMs: number): Promise<readonly (KeptCheck & { readonly why: "no-job" | "late" })[]>;
}

/** A summary that says that a review is being written. */
export interface ProgressNote {
  /** Of the job that writes it. */
  readonly key: string;
  readonly repo: Repo;
  readonly number: number;
  readonly installationId: number;
}

/** Those summaries, kept so that none stays in that state, whatever happens to the process. */
export interface ProgressBook {
  /** Before GitHub is told. */
  begun(note: ProgressNote): Promise<void>;
  isOpen(key: string): Promise<boolean>;
  ended(key: string): Promise<void>;
  /** Those whose job neither waits nor runs. */
  left(): Promise<readonly ProgressNote[]>;
}

/** A comment, or a review, of ours that stands on a pull request. */
export interface OwnPost {
  readonly kind: "review" | "comment";
  readonly id: number;
  /** What GitHub's GraphQL knows it by. */
  readonly nodeId: string;
  readonly headSha: string;
  readonly url: string;
  /** Empty for a review. */
  readonly findingIds: readonly string[];
}

/** Takes back what we said on a pull request. Sees and touches nothing but our own, known by author and marker. */
export interface Retractions {
  /** Oldest first. */
  posts(repo: Repo, number: number): Promise<readonly OwnPost[]>;
  summary(
    repo: Repo,
    number: number,
  ): Promise<{ readonly id: number; readonly body: string; readonly url: string } | null>;
  /** Folds it away as outdated; people can still open it. */
  hide(post: OwnPost): Promise<void>;
  editSummary(repo: Repo, id: number, body: string): Promise<void>;
}
