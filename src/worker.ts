// Takes jobs from a lane of the queue, one pull request or repository at a time each, and decides what a failure means.

import { LeaseLost, NoRoom, OutOfReach, Transient } from "./domain/errors.ts";
import type { ReviewJob } from "./domain/job.ts";
import type { AnyJob, JobEnd, Lane, LaneName, Lease, LeaseLimits } from "./ports.ts";

/** What takes longer hangs: it is let go, and whatever it still writes is refused. The longest review takes ten minutes. */
const LONGEST_MS = 60 * 60_000;
/** How often a running job is asked about: seconds of a model cost little, minutes do. */
const LOOK_MS = 2_000;
/** How often a job is tried before it is parked: with these waits for more than two hours, as long as GitHub was ever down. */
export const ATTEMPTS = 20;
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 15 * 60_000;
/** Where whoever failed says from when on to try again. */
const MAX_TOLD_BACKOFF_MS = 60_000;
/** Those who wait for the same moment do not all come at once. */
const JITTER_MS = 5_000;
/** Between two looks at a queue that cannot answer. */
const LOOK_AGAIN_MS = 1_000;
/** Between two looks at a queue in which nothing may run now. */
const SHORTEST_SLEEP_MS = 250;
const LONGEST_SLEEP_MS = 60_000;
/** Between two tries to write down how a job ended. */
const RECORD_AGAIN_MS = 1_000;

export interface WorkerPorts<Taken extends AnyJob = ReviewJob> {
  readonly queue: Lane<Taken>;
  /**
   * Does the job; returns one line on how it ended. Throws Transient to be called again. The signal is aborted when a
   * later job took its place, or another process the job.
   */
  readonly run: (job: Taken, attempt: number, signal: AbortSignal, lease: Lease<Taken>) => Promise<string>;
  /** Told once about each end of a job. */
  readonly onEnd: (lease: Lease<Taken>, end: JobEnd, error: unknown) => void;
  /** Told instead when another process has the job by now. */
  readonly onLost?: (lease: Lease<Taken>) => void;
  /** Epoch milliseconds, by the clock of `Transient.notBefore`. */
  readonly now: () => number;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
  /** What may be taken now; absent: anything. */
  readonly limits?: () => LeaseLimits;
}

export interface Worker {
  /** Look at the queue now: something may have been added. */
  wake(): void;
  /** Takes no further job and resolves when the running ones have ended, or after `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

/** One for each lane of the queue. */
export type Workers = Readonly<Record<LaneName, Worker>>;

/**
 * Starts working with up to `parallel` jobs at a time. Jobs of one pull request never run side by side (the queue sees to it).
 */
export function startWorker<Taken extends AnyJob>(ports: WorkerPorts<Taken>, parallel: number): Worker {
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let isWanted = false;
  let looking: Promise<void> | null = null;

  /** One look at a time: two would take more jobs than there are places. A wake-up during a look leads to another look. */
  function look(): void {
    isWanted = true;
    looking ??= lookWhileWanted().finally(() => {
      looking = null;
    });
  }

  async function lookWhileWanted(): Promise<void> {
    while (isWanted && !stopped) {
      isWanted = false;
      clearTimeout(timer);
      await takeAll();
      const wait = await untilNext();
      // What came to be wanted meanwhile is looked at now; the loop goes on without an await between this and its check.
      if (!isWanted && !stopped) timer = setTimeout(look, wait).unref();
    }
  }

  async function takeAll(): Promise<void> {
    while (!stopped && running.size < parallel) {
      const lease = await unlessTransient(() => ports.queue.lease(ports.limits?.()));
      if (lease === null) return;
      // Taken while somebody said stop: others need not wait until this process is gone.
      if (stopped) await giveBack(lease);
      else start(lease);
    }
  }

  function start(lease: Lease<Taken>): void {
    const work = runOne(ports, lease).finally(() => {
      running.delete(work);
      look();
    });
    running.add(work);
  }

  async function giveBack(lease: Lease<Taken>): Promise<void> {
    await unlessTransient(() =>
      ports.queue.end(lease, { state: "retry", inMs: 0, reason: "the process was stopping" }),
    );
  }

  async function untilNext(): Promise<number> {
    if (stopped) return 0;
    const next = await unlessTransient(async () => ({ inMs: await ports.queue.nextInMs(ports.limits?.()) }));
    if (next === null) return LOOK_AGAIN_MS;
    // A job that waits behind a running one, or for room, is looked at when that one ends.
    return next.inMs === null ? LONGEST_SLEEP_MS : Math.min(LONGEST_SLEEP_MS, Math.max(SHORTEST_SLEEP_MS, next.inMs));
  }

  look();
  return {
    wake: () => setImmediate(look),
    async stop(withinMs) {
      stopped = true;
      clearTimeout(timer);
      const patience = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
      // A look may still start a job, so the jobs are counted when it is over.
      const ended = Promise.allSettled([looking]).then(() => Promise.allSettled(running));
      await Promise.race([ended, patience]);
    },
  };
}

/** Null where the queue cannot answer now. */
async function unlessTransient<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Transient) return null;
    throw error;
  }
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

async function runOne<Taken extends AnyJob>(ports: WorkerPorts<Taken>, lease: Lease<Taken>): Promise<void> {
  let end: JobEnd;
  let cause: unknown = null;
  const watch = watchLease(ports, lease);
  try {
    const work = ports.run(lease.job, lease.attempt, watch.signal, lease);
    end = { state: "done", outcome: await Promise.race([work, watch.hangs]) };
  } catch (error) {
    cause = error;
    end = verdict(error, lease.attempt, ports.now(), ports.random());
  } finally {
    watch.stop();
  }
  if (cause instanceof LeaseLost || !(await recorded(ports, lease, end))) ports.onLost?.(lease);
  else ports.onEnd(lease, end, cause);
}

/** Until its end is written down nobody else does the job. */
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
      await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_MS));
    }
  }
}

interface LeaseWatch {
  readonly signal: AbortSignal;
  /** Rejects when the job has run for too long. */
  readonly hangs: Promise<never>;
  stop(): void;
}

/** Asks the queue every few seconds whether the job is still wanted, and still ours. */
function watchLease<Taken extends AnyJob>({ queue }: WorkerPorts<Taken>, lease: Lease<Taken>): LeaseWatch {
  const unwanted = new AbortController();
  let isAsking = false;
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      if (!(await queue.isLeaseValid(lease))) unwanted.abort(new LeaseLost());
      else if (await queue.isSuperseded(lease)) unwanted.abort();
    } catch {
      // A queue that cannot answer now, or was closed, supersedes nothing.
    }
    isAsking = false;
  };
  const timer = setInterval(() => void ask(), LOOK_MS);
  timer.unref();
  let hanging: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    hanging = setTimeout(() => {
      unwanted.abort();
      reject(new Transient(`it was not done after ${LONGEST_MS / 60_000} minutes`));
    }, LONGEST_MS);
    hanging.unref();
  });
  const stop = () => {
    clearInterval(timer);
    clearTimeout(hanging);
  };
  return { signal: unwanted.signal, hangs, stop };
}

/** Try again with exponential backoff and jitter while it makes sense; what is gone is done with; else park the job with its cause. */
function verdict(error: unknown, attempt: number, now: number, random: number): JobEnd {
  const reason = error instanceof Error ? `${error.name}: ${error.message}${causeOf(error)}` : String(error);
  if (error instanceof OutOfReach) return lastWord(error);
  if (error instanceof NoRoom) return { state: "no-room", reason: error.message };
  if (!(error instanceof Transient)) return { state: "parked", reason };
  if (attempt >= ATTEMPTS) return { state: "parked", reason: `gave up after ${attempt} attempts: ${reason}` };
  const most = error.notBefore === null ? MAX_BACKOFF_MS : MAX_TOLD_BACKOFF_MS;
  const backoff = Math.min(most, FIRST_BACKOFF_MS * 2 ** (attempt - 1)) * (0.5 + random / 2);
  const asked = error.notBefore === null ? 0 : error.notBefore + random * JITTER_MS - now;
  return { state: "retry", inMs: Math.ceil(Math.max(backoff, asked)), reason };
}

/** What an operator needs and strangers do not: the host or file that did not answer. */
function causeOf({ cause, message }: Error): string {
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    // The outermost of HTTP clients only says that fetching failed.
    if (at.message !== "" && at.message !== "fetch failed" && !message.includes(at.message)) return ` (${at.message})`;
  }
  return "";
}

/** Who may not, today, may be allowed tomorrow: somebody can have the job tried again. */
function lastWord({ why, message }: OutOfReach): JobEnd {
  return why === "gone"
    ? { state: "done", outcome: `gone: ${message}` }
    : { state: "parked", reason: `${why}: ${message}` };
}
