// Every delivery becomes one of these values at the edge; the rest of the program never sees a
// webhook.

/**
 * A repository by its numeric ids; names change, ids do not. `host` is `github.com`, a GHES host,
 * `local` or `eval`.
 */
export interface Repo {
  readonly host: string;
  readonly id: number;
  readonly ownerId: number;
  readonly owner: string;
  readonly name: string;
  readonly visibility: "public" | "private" | "internal";
}

/**
 * The event and action of the delivery, a person at a terminal, or `missed`: no delivery arrived.
 * `verdict`: a person's decision, or another pull request with the same head, changes what the
 * check comes to. `scanned`: a tool of code scanning ended.
 */
export type Trigger =
  | "opened"
  | "reopened"
  | "ready_for_review"
  | "synchronize"
  | "edited"
  | "labeled"
  | "review_requested"
  | "command"
  | "rerequested"
  | "merge_group"
  | "unlabeled"
  | "unlocked"
  | "verdict"
  | "scanned"
  | "missed"
  | "command-line";

/** A review that no person shaped, to run at once. */
export const UNSHAPED = {
  baseSha: null,
  askedBy: null,
  focus: null,
  words: null,
  whole: false,
  notBefore: null,
} satisfies Partial<ReviewJob>;

/** One pull request to review at one head. Two jobs with the same `key` are the same work. */
export interface ReviewJob {
  readonly kind: "review";
  /**
   * `HOST/REPO_ID#NUMBER`: at most one job of a pull request runs at a time, and the newest head
   * wins.
   */
  readonly key: string;
  /** GitHub's X-GitHub-Delivery, or `cli`. */
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
  /** Set only for a merge group, which has no pull request to read it from. */
  readonly baseSha: string | null;
  readonly trigger: Trigger;
  /**
   * A person requested it (label, review request, check run, command line): policy does not hold it
   * back.
   */
  readonly explicit: boolean;
  /**
   * The person who requested this review explicitly; null without one, or when GitHub does not name
   * them.
   */
  readonly askedBy: { readonly id: number; readonly login: string } | null;
  /** The focus that the person requested: untrusted text of at most 200 characters. */
  readonly focus: string | null;
  /**
   * Of title and description at the time of the request (see titleFingerprint); null when unknown.
   */
  readonly words: string | null;
  /**
   * True when the person wants everything read again; otherwise files that a push did not touch may
   * be skipped.
   */
  readonly whole: boolean;
  /**
   * Epoch milliseconds before which it does not run: another push may follow. Null: run at once.
   */
  readonly notBefore: number | null;
}

/**
 * A review of each pull request with one head: GitHub does not name those of forks, so the store
 * looks them up where it keeps the delivery.
 */
export interface HeadJobs {
  readonly kind: "heads";
  readonly delivery: string;
  /** Each job, without its pull request. */
  readonly each: HeadJob;
  /** Pull requests that the delivery names. */
  readonly named: readonly number[];
}

export type HeadJob = Omit<ReviewJob, "key" | "number">;

/** A job of the upkeep lane, about one repository. */
interface UpkeepWork {
  /**
   * `HOST/REPO_ID:KIND`, for one pull request followed by `#NUMBER`: a later job replaces a queued
   * one.
   */
  readonly key: string;
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  /** Why it was requested: a word for logs. */
  readonly trigger: string;
}

/** Why a repository's documents are read again. */
export type IndexTrigger = "push" | "installed" | "default-branch" | "continued";

/** Bring memory up to the head of the default branch. The current tree counts, not the delivery. */
export interface IndexJob extends UpkeepWork {
  readonly kind: "index";
  readonly trigger: IndexTrigger;
  /** The end of the run that this one continues; null at the beginning. */
  readonly after: string | null;
}

/**
 * A repository changed its name, owner or visibility: `repo` is its new state. Triggers: `renamed`,
 * `transferred`, `privatized`, `publicized`; `defaults`: its owner changed the settings of all
 * repositories.
 */
export interface LabelJob extends UpkeepWork {
  readonly kind: "label";
}

/**
 * A repository was deleted or is no longer ours to read: its memory is deleted once the host
 * confirms it. Triggers: `deleted`, `removed`, `uninstalled`; `missing` without a delivery.
 */
export interface ForgetJob extends UpkeepWork {
  readonly kind: "forget";
  /** How often its host gave no definite answer. */
  readonly asked: number;
  /** Epoch milliseconds before which it does not run. Null: run at once. */
  readonly notBefore: number | null;
}

/**
 * People may have reacted to findings on one pull request, answered or acted on them: read it, and
 * learn from it. Triggers: `reply`, `resolved`, `unresolved`, `dismissed`, `closed`, `sweep`.
 */
export interface FeedbackJob extends UpkeepWork {
  readonly kind: "feedback";
  readonly number: number;
  /** Who reopened a thread, which only the delivery names; null for anything else. */
  readonly unresolved: {
    readonly threadId: string;
    readonly by: { readonly id: number; readonly login: string };
  } | null;
}

/**
 * Have a model write situation, lesson and tags of a repository's review memories. Triggers:
 * `reviewed`, `continued`.
 */
export interface DescribeJob extends UpkeepWork {
  readonly kind: "describe";
  /** The end of the run that this one continues; null at the beginning. */
  readonly after: string | null;
}

/** Import past review comments into memory; the progress is stored beside the queue. */
export interface HistoryJob extends UpkeepWork {
  readonly kind: "history";
  readonly trigger: "installed" | "continued" | "closed";
  /** The closed pull request whose comments are imported; null for the whole history. */
  readonly number: number | null;
  /**
   * Epoch milliseconds before which it does not run, as GitHub's rate limit is used up. Null: run
   * at once.
   */
  readonly notBefore: number | null;
}

/**
 * Jobs that keep memory in step with repositories, one at a time in their own lane: reviews never
 * wait.
 */
export type UpkeepJob = FollowJob | FeedbackJob;

/** Jobs about a repository as a whole. */
export type FollowJob = IndexJob | LabelJob | ForgetJob | DescribeJob | HistoryJob;

export type Job = ReviewJob | UpkeepJob;

/** One delivery that makes several jobs, for example an installation on many repositories. */
export interface UpkeepJobs {
  readonly kind: "upkeep";
  readonly delivery: string;
  readonly jobs: readonly UpkeepJob[];
}

/**
 * The pull request was closed or became a draft. Queued jobs stay: this delivery may be late, after
 * a reopening, and a job reads the current state from GitHub before it does anything.
 */
export interface CancelJob {
  readonly kind: "cancel";
  readonly key: string;
  readonly delivery: string;
  readonly reason: string;
  /**
   * Of a closed pull request: the check of its head is computed again for others with that head.
   * Null where it is still open.
   */
  readonly others: HeadJob | null;
}

/** A delivery that needs no work. Not an error; the reason is stored. */
export interface Ignored {
  readonly kind: "ignored";
  readonly delivery: string;
  readonly reason: string;
}

/** The key that keeps jobs of one pull request from running together. */
export function jobKey(repo: Pick<Repo, "host" | "id">, number: number): string {
  return `${repo.host}/${repo.id}#${number}`;
}

/**
 * The key that keeps jobs of one kind from running together in one repository, or about one pull
 * request.
 */
export function upkeepKey(repo: Pick<Repo, "host" | "id">, kind: UpkeepJob["kind"], number?: number): string {
  return `${repo.host}/${repo.id}:${kind}${number === undefined ? "" : `#${number}`}`;
}

/** The review job of a person at a terminal. */
export function commandLineJob(repo: Repo, number: number, headSha: string): ReviewJob {
  return {
    ...UNSHAPED,
    kind: "review",
    key: jobKey(repo, number),
    delivery: "cli",
    installationId: 0,
    repo,
    number,
    headSha,
    trigger: "command-line",
    explicit: true,
  };
}
