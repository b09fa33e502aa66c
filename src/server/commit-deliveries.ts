// Deliveries that came in at the same time -> one transaction; each is told when it is on disk, or that it could not be kept.
import { Transient } from "../domain/errors.ts";
import type { Arrival, Inbox } from "../ports/inbox.ts";

/** After this the sender is told to come back: GitHub itself gives up after 10 s. */
const PATIENCE_MS = 5_000;
/** Between two tries for a lock that somebody else holds. */
const PAUSE_MS = 25;
/** How often those are looked for whose patience is over while a transaction takes its time. */
const LATE_MS = 250;
/** Deliveries a transaction: some milliseconds of the write lock. One alone may find room where many do not. */
const MOST = 64;

/** `new`: kept; `known`: it, or one that means the same, was kept before; `busy`: the store could not be written all the time. */
export type Kept = "new" | "known" | "busy";

export interface Committer {
  /** @throws Error when the store cannot keep this one */
  commit(arrival: Arrival): Promise<Kept>;
  /** Milliseconds since a delivery was last given up; null when one was kept since. */
  failedAgo(): number | null;
  /** Resolves when nobody waits any more. */
  idle(): Promise<void>;
}

interface Waiting {
  readonly arrival: Arrival;
  readonly until: number;
  readonly resolve: (kept: Kept) => void;
  readonly reject: (error: Error) => void;
}

/** @param now monotonic milliseconds: a clock that is set must not make anybody wait */
export function committer(inbox: Inbox, now: () => number = () => performance.now()): Committer {
  let waiting: Waiting[] = [];
  let isPlanned = false;
  let failedAt: number | null = null;
  let most = MOST;
  const idlers: (() => void)[] = [];

  function plan(pauseMs: number): void {
    if (isPlanned) return;
    isPlanned = true;
    if (pauseMs === 0) setImmediate(() => void flush());
    else setTimeout(() => void flush(), pauseMs);
  }

  /** One at a time: what comes in during a transaction is kept by the next, together. Never rejects. */
  async function flush(): Promise<void> {
    refuseLate();
    const batch = waiting.slice(0, most);
    // A store that does not answer at all holds up nobody for longer; should it have kept them, they are known when they come again.
    const watch = setInterval(refuseLate, LATE_MS);
    const pauseMs = batch.length > 0 && !(await keep(batch)) ? PAUSE_MS : 0;
    clearInterval(watch);
    isPlanned = false;
    if (waiting.length > 0) plan(pauseMs);
    else for (const done of idlers.splice(0)) done();
  }

  function refuseLate(): void {
    const late = waiting.filter(({ until }) => until <= now());
    waiting = waiting.filter(({ until }) => until > now());
    for (const one of late) one.resolve("busy");
    if (late.length > 0) failedAt = now();
  }

  /** False when they wait for another try. */
  async function keep(batch: readonly Waiting[]): Promise<boolean> {
    const tried = await tryTake(batch);
    most = tried === null ? 1 : MOST;
    if (tried === null) return false;
    // One that cannot be kept must not take others with it.
    if (tried instanceof Error && batch.length > 1) return keepEach(batch);
    failedAt = tried instanceof Error ? now() : null;
    waiting = waiting.filter((one) => !batch.includes(one));
    tell(batch, tried);
    return true;
  }

  async function keepEach(batch: readonly Waiting[]): Promise<boolean> {
    for (const one of batch) if (!(await keep([one]))) return false;
    return true;
  }

  /** Null where another try may do it: a lock, a full disk. */
  async function tryTake(batch: readonly Waiting[]): Promise<readonly boolean[] | Error | null> {
    try {
      return await inbox.take(batch.map(({ arrival }) => arrival));
    } catch (error) {
      if (error instanceof Transient) return null;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    commit: (arrival) =>
      new Promise((resolve, reject) => {
        waiting.push({ arrival, until: now() + PATIENCE_MS, resolve, reject });
        plan(0);
      }),
    failedAgo: () => (failedAt === null ? null : now() - failedAt),
    idle: () =>
      waiting.length === 0 && !isPlanned ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve)),
  };
}

function tell(batch: readonly Waiting[], tried: readonly boolean[] | Error): void {
  for (const [at, one] of batch.entries()) {
    if (tried instanceof Error) one.reject(tried);
    else one.resolve(tried[at] === true ? "new" : "known");
  }
}
