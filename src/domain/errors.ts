/** A temporary failure that is worth a retry: 429, 5xx, a timeout, a lock. */
export class Transient extends Error {
  override readonly name = "Transient";
  /** Epoch milliseconds before which a retry is pointless, or null when the caller decides. */
  readonly notBefore: number | null;

  constructor(message: string, notBefore: number | null = null, cause?: unknown) {
    super(message, { cause });
    this.notBefore = notBefore;
  }
}

/** Another process holds the job now: the caller stops and writes nothing more. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";

  constructor() {
    super("another process has taken the job");
  }
}

/**
 * `missing`: it does not exist, or we cannot see it. `refused`: we may not. `suspended`: the
 * installation is suspended. `unauthorised`: GitHub rejects our credentials.
 */
export type Reach = "missing" | "refused" | "suspended" | "unauthorised";

/** A permanent error of GitHub: a retry changes nothing. */
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

/** A person asked us to stop: the work ends where it is, and nothing more is written. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/**
 * The stored data cannot be used, now or later. The message states the cause and the operator's
 * remedy.
 */
export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable";
}

/**
 * The configured database cannot be used. The message names the variable and what the operator must
 * fix.
 */
export class DatabaseRefuses extends Error {
  override readonly name = "DatabaseRefuses";
  constructor(why: string) {
    super(`DATABASE_URL: ${why}`);
  }
}

/**
 * Earlier attempts at a job were ended because they took too much time: it is not tried again. The
 * message is public.
 */
export class TooExpensive extends Error {
  override readonly name = "TooExpensive";

  constructor() {
    super("this change is too expensive to read");
  }
}

/** The process lacks memory for such a large change now: the job returns to the queue. */
export class AtCapacity extends Error {
  override readonly name = "AtCapacity";

  constructor() {
    super("waiting until a process has memory for a large change");
  }
}
