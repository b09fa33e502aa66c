/** Worth another try later: 429, 5xx, a timeout, a lock. The only error of its own that an adapter may throw. */
export class Transient extends Error {
  override readonly name = "Transient";
  /** Epoch milliseconds before which another try is pointless, or null when the caller decides. */
  readonly notBefore: number | null;

  constructor(message: string, notBefore: number | null = null, cause?: unknown) {
    super(message, { cause });
    this.notBefore = notBefore;
  }
}

/** Somebody else holds the job by now: whoever learns this stops and writes nothing more. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";

  constructor() {
    super("another process has taken the job");
  }
}

/** `gone`: it does not exist, or not for us. `refused`: we may not. `suspended`: the installation is switched off. `unauthorised`: our credentials are not taken. */
export type Reach = "gone" | "refused" | "suspended" | "unauthorised";

/** GitHub's last word: asking again changes nothing. */
export class OutOfReach extends Error {
  override readonly name = "OutOfReach";
  readonly why: Reach;
  /** GitHub's status. */
  readonly status: number;

  constructor(why: Reach, status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.why = why;
    this.status = status;
  }
}

/** Somebody asked us to stop: the work ends where it is, and nothing more is written. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** What is kept cannot be used, and another try would not change that. The message says why, and what the operator can do. */
export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable";
}

/** The database cannot be used as it is named. The message names the variable, and says what the operator must fix there or at the server. */
export class DatabaseRefuses extends Error {
  override readonly name = "DatabaseRefuses";
  constructor(why: string) {
    super(`DATABASE_URL: ${why}`);
  }
}

/** The process has no room for a change so large now: its job goes back to the queue, and the worker does something else. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";

  constructor() {
    super("it waits until a process has room for a large change");
  }
}
