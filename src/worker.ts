// Takes jobs from a lane of the queue, one pull request or repository at a time each, and decides what a failure means.
import type { ReviewJob } from "./domain/job.ts";
import { Transient } from "./domain/transient.ts";
import type { AnyJob, JobEnd, Lane, Lease } from "./ports.ts";

/** How long a job may run before its lease passes to someone else. */
const LEASE_MS = 10 * 60_000;
/** How often a running job is asked about: seconds of a model cost little, minutes do. */
const LOOK_MS = 2_000;
/** How often a job is tried before it is parked. */
export const ATTEMPTS = 6;
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 15 * 60_000;

export interface WorkerPorts<Held extends AnyJob = ReviewJob> {
  readonly queue: Lane<Held>;
  /**
   * Does the job; returns one line on how it ended. Throws Transient to be called again. The signal is aborted when a
   * later job took its place.
   */
  readonly run: (job: Held, attempt: number, signal: AbortSignal) => Promise<string>;
  /** Told once about each end of a job. */
  readonly onEnd: (lease: Lease<Held>, end: JobEnd, error: unknown) => void;
  readonly now: () => number;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
}

export interface Worker {
  /** Look at the queue now: something may have been added. */
  wake(): void;
  /** Takes no further job and resolves when the running ones have ended, or after `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

/**
 * Starts working with up to `parallel` jobs at a time. Jobs of one pull request never run side by side (the queue sees to it).
 */
export function startWorker<Held extends AnyJob>(ports: WorkerPorts<Held>, parallel: number): Worker {
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function look(): void {
    clearTimeout(timer);
    while (!stopped && running.size < parallel) {
      const lease = take();
      if (lease === null) break;
      const work = runOne(ports, lease).finally(() => {
        running.delete(work);
        look();
      });
      running.add(work);
    }
    if (!stopped) sleepUntilNext();
  }

  function take(): Lease<Held> | null {
    try {
      return ports.queue.lease(ports.now(), LEASE_MS);
    } catch (error) {
      if (error instanceof Transient) return null;
      throw error;
    }
  }

  function sleepUntilNext(): void {
    const at = ports.queue.nextAt();
    // A job that waits behind a running one of its pull request is looked at when that one ends.
    const wait = at === null ? 60_000 : Math.min(60_000, Math.max(250, at - ports.now()));
    timer = setTimeout(look, wait);
    timer.unref();
  }

  look();
  return {
    wake: () => setImmediate(look),
    async stop(withinMs) {
      stopped = true;
      clearTimeout(timer);
      const patience = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
      await Promise.race([Promise.allSettled(running), patience]);
    },
  };
}

/**
 * In place of a worker whose jobs cannot run in this process, as their memory did not open: they keep their place in the
 * queue, and no try is counted. `tell` is called once, when the first job comes.
 */
export function parkedWorker(tell: () => void): Worker {
  let isTold = false;
  return {
    wake() {
      if (!isTold) tell();
      isTold = true;
    },
    stop: () => Promise.resolve(),
  };
}

async function runOne<Held extends AnyJob>(ports: WorkerPorts<Held>, lease: Lease<Held>): Promise<void> {
  let end: JobEnd;
  let cause: unknown = null;
  const watch = watchLease(ports, lease);
  try {
    end = { state: "done", outcome: await ports.run(lease.job, lease.attempt, watch.signal) };
  } catch (error) {
    cause = error;
    end = verdict(error, lease.attempt, ports.now(), ports.random());
  } finally {
    watch.stop();
  }
  try {
    ports.queue.end(lease, ports.now(), end);
  } catch (error) {
    // The lease runs out and the job runs again, which posts nothing twice.
    cause = error;
    end = { state: "retry", at: ports.now() + LEASE_MS, reason: "the end of the job could not be recorded" };
  }
  ports.onEnd(lease, end, cause);
}

/** Asks the queue every few seconds whether the job is still wanted. */
function watchLease<Held extends AnyJob>(
  { queue }: WorkerPorts<Held>,
  lease: Lease<Held>,
): { readonly signal: AbortSignal; stop(): void } {
  const overtaken = new AbortController();
  const timer = setInterval(() => {
    try {
      if (queue.isOvertaken(lease)) overtaken.abort();
    } catch {
      // A queue that cannot answer now, or was closed, overtakes nobody.
    }
  }, LOOK_MS);
  timer.unref();
  return { signal: overtaken.signal, stop: () => clearInterval(timer) };
}

/** Try again with exponential backoff and full jitter while it makes sense; else park the job with its cause. */
function verdict(error: unknown, attempt: number, now: number, random: number): JobEnd {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (!(error instanceof Transient)) return { state: "dead", reason };
  if (attempt >= ATTEMPTS) return { state: "dead", reason: `gave up after ${attempt} attempts: ${reason}` };
  const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1)) * (0.5 + random / 2);
  // Queues keep whole milliseconds.
  return { state: "retry", at: Math.ceil(Math.max(now + backoff, error.notBefore ?? 0)), reason };
}
