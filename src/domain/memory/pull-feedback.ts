// People's reactions to our findings on one pull request, as read from GitHub and not yet judged.

/** An account. `id` is GitHub's numeric id. */
export interface Person {
  readonly id: number;
  readonly login: string;
  readonly isBot: boolean;
}

export interface ReadReaction {
  readonly id: string;
  readonly thumb: "up" | "down";
  readonly by: Person;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ReadReply {
  readonly id: number;
  readonly by: Person;
  readonly isFirstTime: boolean;
  readonly at: number;
  readonly body: string;
  readonly url: string;
}

/** A thread that we started about one finding; a thread about several is read once for each. */
export interface ReadThread {
  /** GitHub's node id. */
  readonly id: string;
  readonly findingId: string;
  readonly url: string;
  /** The review that our comment belongs to; null for a single comment. */
  readonly reviewId: number | null;
  readonly reactions: readonly ReadReaction[];
  /** Oldest first, without ours. */
  readonly replies: readonly ReadReply[];
  readonly isResolved: boolean;
  /** Null while it is open, or when GitHub does not say who. */
  readonly resolvedBy: Person | null;
}

/** A review of ours that a person dismissed. */
export interface ReadDismissal {
  readonly id: string;
  readonly reviewId: number;
  readonly by: Person | null;
  readonly at: number;
  readonly message: string | null;
  readonly url: string;
}

export interface PullFeedback {
  readonly state: "open" | "closed" | "merged";
  readonly headSha: string;
  readonly url: string;
  readonly author: Person | null;
  /** Null unless merged. */
  readonly merged: { readonly by: Person | null; readonly at: number; readonly sha: string | null } | null;
  readonly threads: readonly ReadThread[];
  readonly dismissals: readonly ReadDismissal[];
  /** False when GitHub had more than was read: missing entries then do not count as withdrawn. */
  readonly isComplete: boolean;
  /** What was not read, one line each, for the log. */
  readonly cut: readonly string[];
}

/** The state of a finding's code at the newest head. */
export type CodeStatus = "unchanged" | "changed" | "applied";
