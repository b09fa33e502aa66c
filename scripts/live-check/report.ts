// The result of a live check against the real GitHub.

/** An assumption that only GitHub itself can confirm. */
export interface LivePromise {
  /** Lower-case words joined by `-`. */
  readonly name: string;
  readonly promise: string;
  /** How the run checks it. */
  readonly how: string;
  /** What Kodiai does when the promise does not hold. */
  readonly otherwise: string;
}

export interface LiveResult extends LivePromise {
  readonly verdict: "holds" | "does not hold" | "not tried";
  /** GitHub's answer, or why it was not asked. */
  readonly found: string;
  /** `App POST /repos/OWNER/NAME/pulls/N/reviews: 201`, in the order of sending. */
  readonly requests: readonly string[];
}

/** Names no repository, person or number of theirs, except in `left`. */
export interface LiveReport {
  /** `github.com`, or which Enterprise Server. */
  readonly github: string;
  /** The requests that opened the pull request. */
  readonly opening: readonly string[];
  readonly results: readonly LiveResult[];
  /** What could not be cleaned up, by its name on GitHub: shown to the person only. */
  readonly left: readonly string[];
  /**
   * False when the run was stopped, no pull request could be opened, or GitHub could not answer.
   */
  readonly isWhole: boolean;
}

/** The repository before the run changes it. */
export interface LiveLook {
  /** The owner of the token. */
  readonly login: string;
  readonly mayPush: boolean;
  readonly openPulls: number;
  /** Files on the default branch. */
  readonly files: number;
}
