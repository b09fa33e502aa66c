// The nouns of the fake's own half of GitHub: people, repositories, pull requests and what is said
// on them. The other half (git objects, tokens, contents, compare) is the emulator's.

export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What GitHub answers when it says no. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly errors: readonly unknown[] | null;

  constructor(status: number, message: string, errors: readonly unknown[] | null = null) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

export interface Person {
  readonly login: string;
  readonly id: number;
  readonly type: "User" | "Bot" | "Mannequin";
  /** GitHub's author_association towards every repository of the world. */
  readonly association: string;
  /** What GET collaborators/{login}/permission answers. */
  readonly permission: "admin" | "maintain" | "write" | "triage" | "read" | "none";
  /** Where it is another than that: `OWNER/NAME` → what they may do there. */
  readonly inRepository?: Readonly<Record<string, "admin" | "maintain" | "write" | "triage" | "read" | "none">>;
  /** Merged pull requests that search finds beside those merged in this world. */
  readonly mergedPullRequests: number;
  /** The account was deleted: what it wrote stands without a user. */
  readonly isGone?: boolean;
}

/** A repository; a live object, as repositories are renamed, moved and made private. */
export interface Repository {
  owner: string;
  name: string;
  readonly id: number;
  private: boolean;
  /** As the API shows it. */
  json: Json;
  readonly pulls: Pull[];
  /** By number. */
  readonly issues: Map<number, { readonly title: string; readonly body: string | null }>;
}

/** A pull request; a live object, its `headSha` moves when somebody pushes. */
export interface Pull {
  readonly repository: Repository;
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  readonly id: number;
  readonly author: Person;
  readonly createdAt: string;
  title: string;
  body: string | null;
  state: "open" | "closed";
  merged: boolean;
  draft: boolean;
  locked: boolean;
  labels: string[];
  requestedReviewers: Person[];
  baseRef: string;
  baseSha: string;
  readonly headRef: string;
  headSha: string;
  /**
   * OWNER of the fork that the head lives in; "deleted" when it is gone; null for a branch of the
   * repository.
   */
  readonly fork: string | null;
  /** Paths for which GitHub delivers no patch (too large). */
  readonly withoutPatch: Set<string>;
  readonly reviews: Review[];
  readonly comments: ReviewComment[];
  readonly issueComments: IssueComment[];
  readonly reactions: Reaction[];
  /** First comments of threads that somebody resolved. */
  readonly resolved: Set<number>;
  /** By whom, by first comment; of those that an App resolved nobody. */
  readonly resolvedBy: Map<number, Person>;
  mergedAt: string | null;
  mergedBy: Person | null;
  readonly dismissals: {
    readonly id: number;
    readonly review: Review;
    readonly by: Person;
    readonly message: string;
    readonly createdAt: string;
  }[];
}

export type Side = "LEFT" | "RIGHT";

export interface Review {
  readonly id: number;
  readonly author: Person;
  body: string;
  state: "PENDING" | "COMMENTED" | "APPROVED" | "CHANGES_REQUESTED" | "DISMISSED";
  readonly commitId: string;
  submittedAt: string | null;
}

export interface ReviewComment {
  readonly id: number;
  readonly reviewId: number;
  readonly author: Person;
  readonly path: string;
  body: string;
  /** Null for a comment on a whole file. */
  readonly side: Side | null;
  readonly startSide: Side | null;
  readonly startLine: number | null;
  readonly line: number | null;
  /** Text of the commented line, by which GitHub finds it again after a push. */
  readonly text: string;
  readonly hunk: string;
  readonly commitId: string;
  readonly inReplyTo: number | null;
  readonly createdAt: string;
  editedTimes: number;
  readonly reactions: Reaction[];
}

export interface IssueComment {
  readonly id: number;
  readonly author: Person;
  body: string;
  editedTimes: number;
  readonly createdAt: string;
  readonly reactions: Reaction[];
}

export interface Reaction {
  readonly id: number;
  readonly author: Person;
  readonly content: string;
  /** Now when left out. */
  readonly createdAt?: string;
}

/** GitHub's time format: seconds, UTC. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}
