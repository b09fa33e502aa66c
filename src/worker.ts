// Runs jobs of one lane of the queue, and decides whether a failed job is retried or parked.

import { setTimeout as sleep } from "node:timers/promises";
import { AtCapacity, LeaseLost, OutOfReach, Transient } from "./domain/errors.ts";
import type { ReviewJob } from "./domain/job.ts";
import type { AnyJob, JobEnd, Lane, LaneName, Lease, LeaseLimits } from "./ports.ts";

/** A longer job hangs: its later writes are refused. The longest review takes ten minutes. */
export const HANGS_MS = 60 * 60_000;
/** How often a job's lease is checked: seconds of an unwanted model call cost little. */
const LEASE_CHECK_MS = 2_000;
/** Attempts before a job is parked: over two hours, as long as GitHub was ever down. */
export const ATTEMPTS = 20;
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 15 * 60_000;
/** Used when the error names a time for the next attempt. */
const MAX_HINTED_BACKOFF_MS = 60_000;
/** Spreads jobs that wait for the same moment. */
const JITTER_MS = 5_000;
/** Between two polls: a waiting job may be due, and another process may have added one. */
const POLL_MS = 1_000;
/** Between two attempts to record the end of a job. */
const RECORD_AGAIN_MS = 1_000;

const STOPPING: JobEnd = { state: "retry", inMs: 0, reason: "the process was stopping" };

interface WorkerPorts<Taken extends AnyJob = ReviewJob> {
  readonly queue: Lane<Taken>;
  /**
   * Runs the job; returns one line on how it ended. Throws Transient to be retried. The signal is
   * aborted when a later job replaced this one, or another process took it over.
   */
  readonly run: (lease: Lease<Taken>, signal: AbortSignal) => Promise<string>;
  readonly onEnd: (lease: Lease<Taken>, end: JobEnd, error: unknown) => void;
  /** Called instead when another process has taken over the job. */
  readonly onLost: (lease: Lease<Taken>) => void;
  /** Epoch milliseconds, on the clock of `Transient.notBefore`. */
  readonly now: () => number;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
  /** Limits for leases; null: none. */
  readonly limits: () => LeaseLimits | null;
}

export interface Worker {
  wake(): void;
  /** Takes no further jobs; resolves when the running ones have ended, or after `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

export type Workers = Readonly<Record<LaneName, Worker>>;

/**
 * Starts a worker that runs up to `parallel` jobs at a time. The queue ensures that jobs of one
 * pull request never run in parallel.
 */
export function startWorker<Taken extends AnyJob>(ports: WorkerPorts<Taken>, parallel: number): Worker {
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let isWanted = false;
  let polling: Promise<void> | null = null;

  /** Concurrent polls could lease too many jobs. A wake-up during a poll triggers another poll. */
  function poll(): void {
    isWanted = true;
    polling ??= pollWhileWanted().finally(() => {
      polling = null;
    });
  }

  async function pollWhileWanted(): Promise<void> {
    while (isWanted && !stopped) {
      isWanted = false;
      clearTimeout(timer);
      await takeAll();
      // A wake-up meanwhile continues the loop: no await lies between this and its own check.
      if (!isWanted && !stopped) timer = setTimeout(poll, POLL_MS).unref();
    }
  }

  async function takeAll(): Promise<void> {
    while (!stopped && running.size < parallel) {
      const lease = await unlessTransient(() => ports.queue.lease(ports.limits()));
      if (lease === null) return;
      // Leased while the worker was stopping: other processes need not wait for its end.
      if (!stopped) start(lease);
      else await unlessTransient(() => ports.queue.end(lease, STOPPING));
    }
  }

  function start(lease: Lease<Taken>): void {
    const work = runOne(ports, lease).finally(() => {
      running.delete(work);
      poll();
    });
    running.add(work);
  }

  poll();
  return {
    wake: () => setImmediate(poll),
    async stop(withinMs) {
      stopped = true;
      clearTimeout(timer);
      const patience = sleep(withinMs, null, { ref: false });
      // A poll may still start a job, so wait for it before the jobs.
      const ended = Promise.allSettled([polling]).then(() => Promise.allSettled(running));
      await Promise.race([ended, patience]);
    },
  };
}

/** Null when the queue cannot answer now. */
async function unlessTransient<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Transient) return null;
    throw error;
  }
}

/**
 * Stands in for a worker whose jobs cannot run in this process, because memory did not open: they
 * stay in the queue, and no attempt is counted. `warn` is called once, at the first wake-up.
 */
export function disabledWorker(warn: () => void): Worker {
  let hasWarned = false;
  return {
    wake() {
      if (!hasWarned) warn();
      hasWarned = true;
    },
    stop: () => Promise.resolve(),
  };
}

async function runOne<Taken extends AnyJob>(ports: WorkerPorts<Taken>, lease: Lease<Taken>): Promise<void> {
  let end: JobEnd;
  let cause: unknown = null;
  const watch = watchLease(ports, lease);
  try {
    const work = ports.run(lease, watch.signal);
    end = { state: "done", outcome: await Promise.race([work, watch.hangs]) };
  } catch (error) {
    cause = error;
    end = verdict(error, lease.attempt, ports.now(), ports.random());
  } finally {
    watch.stop();
  }
  if (cause instanceof LeaseLost || !(await recorded(ports, lease, end))) ports.onLost(lease);
  else ports.onEnd(lease, end, cause);
}

/** Retries until the end is recorded, because no other process can run the job before. */
async function recorded<Taken extends AnyJob>(
  { queue }: WorkerPorts<Taken>,
  lease: Lease<Taken>,
  end: JobEnd,
): Promise<boolean> {
  for (;;) {
    try {
      return await queue.end(lease, end);
    } catch (error) {
      if (!(error instanceof Transient)) throw error;
      await sleep(RECORD_AGAIN_MS);
    }
  }
}

/** Checks every few seconds that the job is wanted and ours. `hangs` rejects after HANGS_MS. */
function watchLease<Taken extends AnyJob>({ queue }: WorkerPorts<Taken>, lease: Lease<Taken>) {
  const unwanted = new AbortController();
  let isAsking = false;
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      const state = await queue.leaseState(lease);
      if (state !== "held") unwanted.abort(state === "lost" ? new LeaseLost() : undefined);
    } catch {
      // A queue that cannot answer now, or was closed, supersedes nothing.
    }
    isAsking = false;
  };
  const timer = setInterval(() => void ask(), LEASE_CHECK_MS).unref();
  const hanging = Promise.withResolvers<never>();
  const late = setTimeout(() => {
    unwanted.abort();
    hanging.reject(new Transient(`it was not done after ${HANGS_MS / 60_000} minutes`));
  }, HANGS_MS).unref();
  const stop = () => {
    clearInterval(timer);
    clearTimeout(late);
  };
  return { signal: unwanted.signal, hangs: hanging.promise, stop };
}

/** Whether this was the last attempt, so that the job is parked. One without target is not. */
export function isLastFailure(error: unknown, attempt: number): boolean {
  return verdict(error, attempt, 0, 0).state === "parked";
}

/** Retries transient failures with backoff and jitter. A job without target is done. */
function verdict(error: unknown, attempt: number, now: number, random: number): JobEnd {
  const reason = error instanceof Error ? `${error.name}: ${error.message}${causeOf(error)}` : String(error);
  if (error instanceof OutOfReach) {
    const { why, message } = error;
    // A refusal may be lifted later: then an operator can retry the parked job.
    return why === "missing"
      ? { state: "done", outcome: `missing: ${message}` }
      : { state: "parked", reason: `${why}: ${message}` };
  }
  if (error instanceof AtCapacity) return { state: "at-capacity", reason: error.message };
  if (!(error instanceof Transient)) return { state: "parked", reason };
  if (attempt >= ATTEMPTS) return { state: "parked", reason: `gave up after ${attempt} attempts: ${reason}` };
  const most = error.notBefore === null ? MAX_BACKOFF_MS : MAX_HINTED_BACKOFF_MS;
  const backoff = Math.min(most, FIRST_BACKOFF_MS * 2 ** (attempt - 1)) * (0.5 + random / 2);
  const named = error.notBefore === null ? 0 : error.notBefore + random * JITTER_MS - now;
  return { state: "retry", inMs: Math.ceil(Math.max(backoff, named)), reason };
}

/** The host or file that did not answer: for the operator, not for the public. */
function causeOf({ cause, message }: Error): string {
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    // The outermost error of an HTTP client only says that fetching failed.
    if (at.message !== "" && at.message !== "fetch failed" && !message.includes(at.message)) return ` (${at.message})`;
  }
  return "";
}
