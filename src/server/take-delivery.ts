// The Probot app. Its one handler parses a delivery and commits it with its jobs; those that arrive
// at the same time share a transaction.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { ApplicationFunction, Probot } from "probot";
import { Transient } from "../domain/errors.ts";
import type { Arrival, Inbox } from "../ports/inbox.ts";
import type { MissedComment } from "../ports/missed-events.ts";
import { isForeignCheck, type Received, receive } from "../receive/receive.ts";
import type { Store } from "../wire/store.ts";
import type { AppOptions } from "./app-options.ts";
import type { Metrics } from "./metrics.ts";
import { REACHES_MORE } from "./sweeps/missed-sweeper.ts";

interface DeliverySettings extends Pick<AppOptions, "appId" | "githubHost" | "reviewerLogin" | "debounce" | "log"> {
  readonly store: Pick<Store, "waits">;
  readonly commits: Committer;
  readonly counted: Pick<Metrics, "took">;
  readonly wake: () => void;
  readonly onReachesMore: () => void;
  /** The app's own name, without `[bot]`. */
  readonly slug: string;
}

export type ProbotEvent = Parameters<Probot["receive"]>[0];

/**
 * Its handler resolves when the delivery is on disk, and rejects when it cannot be stored. Checks
 * of other Apps are not stored.
 */
export function deliveryHandler(taking: DeliverySettings): ApplicationFunction {
  const { commits, counted, githubHost: host, reviewerLogin, slug, log } = taking;
  async function take({ id, name: event, payload }: ProbotEvent): Promise<void> {
    if (isForeignCheck(event, payload, taking.appId)) return counted.took(event, "ignored");
    const {
      outcome: immediate,
      followUpJobs: beside,
      dedupKey: meaning,
    } = receive({ id, event, payload }, { host, reviewerLogin, slug });
    const receivedAt = Date.now();
    const outcome = taking.debounce === false ? immediate : await debounced(immediate, taking.store, receivedAt);
    const isNew = await commits.commit({ delivery: { id, event, receivedAt, meaning }, outcome, beside });
    const kind = isNew ? outcome.kind : "seen before";
    counted.took(event, kind);
    log.info({ ...logged(outcome), event, kind }, "delivery");
    const isJobless = outcome.kind === "ignored" && beside.length === 0;
    if (isNew && !isJobless) taking.wake();
    if (isNew && "action" in payload && REACHES_MORE.has(`${event}.${payload.action}`)) taking.onReachesMore();
  }

  return (app) => app.onAny(take);
}

/**
 * Takes a comment of which no delivery arrived, if it is a command.
 *
 * @returns false when it is none, or was taken before: by its delivery, or by an earlier run
 */
export function commentTaker(
  taking: Pick<DeliverySettings, "commits" | "githubHost" | "reviewerLogin" | "slug" | "wake" | "log">,
) {
  const { commits, githubHost: host, reviewerLogin, slug, wake, log } = taking;
  return async ({ id, event, payload }: MissedComment): Promise<boolean> => {
    const { outcome, dedupKey: meaning } = receive({ id, event, payload }, { host, reviewerLogin, slug });
    if (outcome.kind !== "command") return false;
    const isNew = await commits.commit({
      delivery: { id, event, receivedAt: Date.now(), meaning },
      outcome,
      beside: [],
    });
    if (!isNew) return false;
    log.warn({ ...logged(outcome), event }, "a command whose delivery did not arrive");
    wake();
    return true;
  };
}

type Outcome = Received["outcome"];

/** Until a repository's first review: the configuration's default. */
const PUSH_WAIT_MS = 10_000;

/** Delays the review of a push or scan as configured: more may follow. Requests are not delayed. */
async function debounced(outcome: Outcome, { waits }: DeliverySettings["store"], now: number): Promise<Outcome> {
  if (outcome.kind !== "review" && outcome.kind !== "heads") return outcome;
  const { repo, trigger } = outcome.kind === "heads" ? outcome.each : outcome;
  if (trigger !== "synchronize" && trigger !== "scanned") return outcome;
  const notBefore = now + ((await waits.of(repo)) ?? PUSH_WAIT_MS);
  return outcome.kind === "heads" ? { ...outcome, each: { ...outcome.each, notBefore } } : { ...outcome, notBefore };
}

function logged(outcome: Outcome): Readonly<Record<string, unknown>> {
  const { kind: _, ...rest } = outcome;
  if (outcome.kind === "upkeep") return { ...rest, jobs: outcome.jobs.map(({ key }) => key).slice(0, LOGGED_JOBS) };
  if (outcome.kind !== "command") return rest;
  const { command, comment, pull: __, ...known } = outcome;
  return { ...known, command: command.kind === "verb" ? command.verb : command.kind, by: comment.author.id };
}

/** Jobs per log line: a delivery can name thousands of repositories. */
const LOGGED_JOBS = 20;

/** Then the answer is 503: GitHub's own timeout is 10 s. */
const PATIENCE_MS = 5_000;

/** Between two attempts to get the lock from another process. */
const PAUSE_MS = 25;

/** How often late deliveries are rejected while a slow transaction runs. */
const LATE_MS = 250;

/** Per transaction: milliseconds of the write lock. One may fit on a full disk, but not many. */
const MOST = 64;

export type Committer = ReturnType<typeof committer>;

interface Waiting {
  readonly arrival: Arrival;
  readonly until: number;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** @param now monotonic milliseconds, so that a clock change delays nothing */
export function committer(inbox: Inbox, now: () => number = () => performance.now()) {
  let waiting: Waiting[] = [];
  let isWorking = false;
  let failedAt: number | null = null;

  /** One transaction at a time: deliveries that arrive meanwhile share the next. Never rejects. */
  async function work(): Promise<void> {
    isWorking = true;
    // In time even if the store hangs; if it stored them after all, it knows their redelivery.
    const watch = setInterval(refuseLate, LATE_MS);
    await setImmediate();
    for (let most = MOST; waiting.length > 0; ) {
      const batch = waiting.slice(0, most);
      const tried = await tryTake(batch);
      // One at a time then: it may fit on a full disk, and a bad one must not fail the others.
      const isSplit = tried === null || (tried instanceof Error && batch.length > 1);
      most = isSplit ? 1 : MOST;
      if (tried === null) await sleep(PAUSE_MS);
      if (!isSplit) settle(batch, tried);
      refuseLate();
    }
    clearInterval(watch);
    isWorking = false;
  }

  function settle(batch: readonly Waiting[], tried: readonly boolean[] | Error): void {
    failedAt = tried instanceof Error ? now() : null;
    waiting = waiting.filter((one) => !batch.includes(one));
    for (const [at, one] of batch.entries()) {
      if (tried instanceof Error) one.reject(tried);
      else one.resolve(tried[at] === true);
    }
  }

  function refuseLate(): void {
    const late = waiting.filter(({ until }) => until <= now());
    waiting = waiting.filter(({ until }) => until > now());
    for (const waiting of late) waiting.reject(new Transient("the store could not be written in time"));
    if (late.length > 0) failedAt = now();
  }

  /** Null when a retry may succeed: a lock, a full disk. */
  async function tryTake(batch: readonly Waiting[]): Promise<readonly boolean[] | Error | null> {
    try {
      return await inbox.take(batch.map(({ arrival }) => arrival));
    } catch (error) {
      if (error instanceof Transient) return null;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    /**
     * @returns false when it, or one with the same fingerprint, was stored before
     * @throws Transient when the store could not be written for 5 s; Error when this one cannot be
     *   stored
     */
    commit(arrival: Arrival): Promise<boolean> {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      waiting.push({ arrival, until: now() + PATIENCE_MS, resolve, reject });
      if (!isWorking) void work();
      return promise;
    },
    /** Milliseconds since a delivery was last rejected; null when one was stored since. */
    failedAgo: () => (failedAt === null ? null : now() - failedAt),
  };
}
