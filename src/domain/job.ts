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

/** Why a review was asked for: the event and action of the delivery, or a person at a terminal. */
export type Trigger =
  | "opened"
  | "reopened"
  | "ready_for_review"
  | "synchronize"
  | "edited"
  | "labeled"
  | "review_requested"
  | "rerequested"
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
  readonly trigger: Trigger;
  /** True when a person asked for this review by name (label, review request, check run, command line): policy does not hold it back. */
  readonly explicit: boolean;
  /** Epoch milliseconds before which it does not run: another push may follow. Absent: at once. */
  readonly notBefore?: number;
}

/** The pull request went away or became a draft: whatever waits for it is dropped. */
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
