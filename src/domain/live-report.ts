// What a live run on the real GitHub found out: `kodiai doctor --live`.

/** Something that Kodiai relies on and that only GitHub itself can confirm. */
export interface LivePromise {
  /** Lower-case words joined by `-`. */
  readonly name: string;
  readonly promise: string;
  /** What the run does to find out. */
  readonly how: string;
  /** What Kodiai does where the promise does not hold. */
  readonly otherwise: string;
}

export interface LiveResult extends LivePromise {
  readonly verdict: "holds" | "does not hold" | "not tried";
  /** What GitHub answered, or why it was not asked. */
  readonly found: string;
  /** `App POST /repos/OWNER/NAME/pulls/N/reviews: 201`, in the order in which they were sent. */
  readonly requests: readonly string[];
}

/** Nothing in it names the repository, a person or a number of theirs, but for `left`. */
export interface LiveReport {
  /** `github.com`, or which Enterprise Server. */
  readonly github: string;
  /** The requests that opened the pull request. */
  readonly opening: readonly string[];
  readonly results: readonly LiveResult[];
  /** What could not be cleaned up, by its name on GitHub: for the person's eyes only. */
  readonly left: readonly string[];
  /** False when it was stopped, no pull request could be opened, or GitHub could not answer. */
  readonly isWhole: boolean;
}

/** The repository as it is before anything is done to it. */
export interface LiveLook {
  /** Whose token it is. */
  readonly login: string;
  readonly mayPush: boolean;
  readonly openPulls: number;
  /** Files on the default branch. */
  readonly files: number;
}
