// A delivery becomes one of these at the edge; nothing further in knows what a webhook looks like.

/** A repository by its numeric ids; names change, ids do not. `host` is `github.com`, a GHES host, `local` or `eval`. */
export interface Repo {
  readonly host: string;
  readonly id: number;
  readonly ownerId: number;
  readonly owner: string;
  readonly name: string;
  readonly visibility: "public" | "private" | "internal";
}

/** Why a review was asked for: the event and action of the delivery, a person at a terminal, or `missed`: nobody told us of the head. */
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
  | "missed"
  | "command-line";

/** One pull request to review at one head. Two jobs with the same `key` are the same work. */
export interface ReviewJob {
  readonly kind: "review";
  /** `HOST/REPO_ID#NUMBER`: at most one job of a pull request runs at a time, and the newest head wins. */
  readonly key: string;
  /** GitHub's X-GitHub-Delivery, or `cli`. */
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
  /** Of a merge group, which has no pull request of its own to read it from; absent for all others. */
  readonly baseSha?: string;
  readonly trigger: Trigger;
  /** True when a person asked for this review by name (label, review request, check run, command line): policy does not hold it back. */
  readonly explicit: boolean;
  /** Who asked for this review by name; absent where nobody did, or GitHub does not tell. */
  readonly askedBy?: { readonly id: number; readonly login: string };
  /** What whoever asked wants looked at: untrusted text of at most 200 characters. */
  readonly focus?: string;
  /** Title and description as they stood when a person asked (see askedWords); absent where nobody did, or nobody knows. */
  readonly words?: string;
  /** True when whoever asked wants everything read anew; otherwise what a push did not touch need not be. */
  readonly whole?: boolean;
  /** Epoch milliseconds before which it does not run: another push may follow. Absent: at once. */
  readonly notBefore?: number;
}

/** Why a repository's documents are looked through again. */
export type IndexTrigger = "push" | "installed" | "default-branch" | "continued";

/** Bring memory up to the head of the default branch: whatever the delivery said, the tree that stands there now is the truth. */
export interface IndexJob {
  readonly kind: "index";
  /** `HOST/REPO_ID:index`: a later one takes the place of one that waits. */
  readonly key: string;
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  readonly trigger: IndexTrigger;
  /** Where the run that this one continues ended; absent at the beginning. */
  readonly after?: string;
}

/** A repository has another name, owner or visibility: `repo` is how the delivery tells it. */
export interface LabelJob {
  readonly kind: "label";
  readonly key: string;
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  /** `renamed`, `transferred`, `privatized`, `publicized`; `defaults`: what its owner sets for all repositories changed. */
  readonly trigger: string;
}

/** A repository is deleted or no longer ours to read: what is remembered of it goes, once its host has confirmed that. */
export interface ForgetJob {
  readonly kind: "forget";
  readonly key: string;
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  /** `deleted`, `removed`, `uninstalled`; `gone` where nobody told us. */
  readonly trigger: string;
  /** How often its host was asked, and said neither that it is gone nor that it stands; absent before it was. */
  readonly asked?: number;
  /** Epoch milliseconds before which it does not run. Absent: at once. */
  readonly notBefore?: number;
}

/** People may have reacted to, answered or acted on findings of ours on one pull request: read it, and learn from it. */
export interface FeedbackJob {
  readonly kind: "feedback";
  /** `HOST/REPO_ID:feedback#NUMBER`. */
  readonly key: string;
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  readonly number: number;
  /** `reply`, `resolved`, `unresolved`, `dismissed`, `closed`, `sweep`. */
  readonly trigger: string;
  /** Who opened a thread again, which GitHub tells in the delivery only; null or absent for anything else. */
  readonly unresolved?: {
    readonly threadId: string;
    readonly by: { readonly id: number; readonly login: string };
  } | null;
}

/** Have a model write situation, lesson and tags of what is remembered of a repository's reviews. */
export interface DescribeJob {
  readonly kind: "describe";
  readonly key: string;
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  /** `reviewed`, `continued`. */
  readonly trigger: string;
  /** Where the run that this one continues ended; absent at the beginning. */
  readonly after?: string;
}

/** Bring what people said in reviews of the past into memory; where it stands is written down beside the queue. */
export interface HistoryJob {
  readonly kind: "history";
  /** `HOST/REPO_ID:history`, for one pull request `HOST/REPO_ID:history#NUMBER`: a later one takes the place of one that waits. */
  readonly key: string;
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  readonly trigger: "installed" | "continued" | "closed";
  /** The pull request that was closed, whose comments are read alone; absent for all of the past. */
  readonly number?: number;
  /** Epoch milliseconds before which it does not run: GitHub gives no more requests for it this hour. Absent: at once. */
  readonly notBefore?: number;
}

/** What keeps memory in step with repositories. These run in a lane of their own, one at a time: reviews never wait for them. */
export type UpkeepJob = FollowJob | FeedbackJob;

/** What follows a repository as a whole. */
export type FollowJob = IndexJob | LabelJob | ForgetJob | DescribeJob | HistoryJob;

export type Job = ReviewJob | UpkeepJob;

/** One delivery that makes several jobs, as when the app is installed on many repositories. */
export interface UpkeepJobs {
  readonly kind: "upkeep";
  readonly delivery: string;
  readonly jobs: readonly UpkeepJob[];
}

/**
 * The pull request went away or became a draft. What waits for it stays: this may be told late, after it was opened again, and a job
 * asks GitHub how things stand before it does anything.
 */
export interface CancelJob {
  readonly kind: "cancel";
  readonly key: string;
  readonly delivery: string;
  readonly reason: string;
}

/** A delivery that asks nothing of us. Not an error; the reason is kept. */
export interface Ignored {
  readonly kind: "ignored";
  readonly delivery: string;
  readonly reason: string;
}

/** The key under which the jobs of one pull request exclude each other. */
export function jobKey(repo: Pick<Repo, "host" | "id">, number: number): string {
  return `${repo.host}/${repo.id}#${number}`;
}

/** The key under which jobs of one kind exclude each other in one repository. */
export function upkeepKey(repo: Pick<Repo, "host" | "id">, kind: UpkeepJob["kind"]): string {
  return `${repo.host}/${repo.id}:${kind}`;
}

/** The key under which the jobs that import one closed pull request exclude each other. */
export function closedPullKey(repo: Pick<Repo, "host" | "id">, number: number): string {
  return `${upkeepKey(repo, "history")}#${number}`;
}

/** The key under which the jobs that learn from one pull request exclude each other. */
export function feedbackKey(repo: Pick<Repo, "host" | "id">, number: number): string {
  return `${upkeepKey(repo, "feedback")}#${number}`;
}
