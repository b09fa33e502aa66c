// The Probot app. Its one handler reads a delivery and commits it with the jobs that follow from it. Deliveries that come in at the
// same time are committed in one transaction.
import type { Logger } from "pino";
import type { ApplicationFunction, Probot } from "probot";
import { Transient } from "../domain/errors.ts";
import type { Arrival, Inbox } from "../ports/inbox.ts";
import { isForeignCheck, type Received, receive } from "../receive/receive.ts";
import type { Store } from "../wire/store.ts";
import type { Metrics } from "./metrics.ts";
import { REACHES_MORE } from "./missed-sweeper.ts";

export interface Taking {
  readonly store: Pick<Store, "waits">;
  readonly commits: Committer;
  readonly counted: Pick<Metrics, "took">;
  /** Has all lanes of the queue looked at. */
  readonly wake: () => void;
  /** Called when the App may reach more than it did. */
  readonly onReachesMore: () => void;
  readonly appId: number;
  /** `github.com`, or the host of a GitHub Enterprise Server. */
  readonly githubHost: string;
  readonly reviewerLogin: string | null;
  /** The app's own name, without `[bot]`. */
  readonly slug: string;
  /** False: a push does not wait for the next one; in tests only. */
  readonly debounce?: boolean;
  readonly log: Logger;
}

/** As Probot hands it on. */
export type ProbotEvent = Parameters<Probot["receive"]>[0];

/**
 * The Probot app function. Its handler resolves when the delivery is on disk, now or before, and rejects when the store cannot keep
 * it. Checks of other Apps are not kept.
 */
export function deliveryHandler(taking: Taking): ApplicationFunction {
  return (app) => app.onAny((event) => takeDelivery(event, taking));
}

async function takeDelivery({ id, name: event, payload }: ProbotEvent, taking: Taking): Promise<void> {
  const { commits, counted, githubHost: host, reviewerLogin, slug, log } = taking;
  if (isForeignCheck(event, payload, taking.appId)) return counted.took(event, "ignored");
  const { outcome: asked, beside, meaning } = receive({ id, event, payload }, { host, reviewerLogin, slug });
  const receivedAt = Date.now();
  const outcome = taking.debounce === false ? asked : await debounced(asked, taking.store, receivedAt);
  const isNew = await commits.commit({ delivery: { id, event, receivedAt, meaning }, outcome, beside });
  const kind = isNew ? outcome.kind : "seen before";
  counted.took(event, kind);
  log.info({ ...logged(outcome), event, kind }, "delivery");
  if (isNew && (hasJob(outcome) || beside.length > 0)) taking.wake();
  if (isNew && "action" in payload && REACHES_MORE.has(`${event}.${payload.action}`)) taking.onReachesMore();
}

type Outcome = Received["outcome"];

/** Before a repository's first review: what its configuration says unless it says otherwise. */
const PUSH_WAIT_MS = 10_000;

/** A push may be the first of a flurry: it waits as long as its repository wishes. Whoever asks in person does not. */
async function debounced(outcome: Outcome, { waits }: Taking["store"], now: number): Promise<Outcome> {
  if (outcome.kind !== "review" || outcome.trigger !== "synchronize") return outcome;
  return { ...outcome, notBefore: now + ((await waits.of(outcome.repo)) ?? PUSH_WAIT_MS) };
}

function hasJob({ kind }: Outcome): boolean {
  return kind === "review" || kind === "command" || kind === "upkeep";
}

/** A delivery for the log: of a comment who and what kind, not its words. */
function logged(outcome: Outcome): Readonly<Record<string, unknown>> {
  const { kind: _, ...rest } = outcome;
  if (outcome.kind === "upkeep") return { ...rest, jobs: outcome.jobs.map(({ key }) => key).slice(0, LOGGED_JOBS) };
  if (outcome.kind !== "command") return rest;
  const { command, comment, pull: __, ...known } = outcome;
  return { ...known, command: command.kind === "verb" ? command.verb : command.kind, by: comment.author.id };
}

/** A delivery can name thousands of repositories. */
const LOGGED_JOBS = 20;

/** After this the sender is told to come back: GitHub itself gives up after 10 s. */
const PATIENCE_MS = 5_000;

/** Between two tries for a lock that somebody else holds. */
const PAUSE_MS = 25;

/** How often those are looked for whose patience is over while a transaction takes its time. */
const LATE_MS = 250;

/** Deliveries a transaction: some milliseconds of the write lock. One alone may find room where many do not. */
const MOST = 64;

export interface Committer {
  /**
   * @returns whether it is new: false when it, or one that means the same, was kept before
   * @throws Transient when the store could not be written for 5 s; Error when it cannot keep this one
   */
  commit(arrival: Arrival): Promise<boolean>;
  /** Milliseconds since a delivery was last given up; null when one was kept since. */
  failedAgo(): number | null;
}

interface Waiting {
  readonly arrival: Arrival;
  readonly until: number;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** @param now monotonic milliseconds: a clock that is set must not make anybody wait */
export function committer(inbox: Inbox, now: () => number = () => performance.now()): Committer {
  let waiting: Waiting[] = [];
  let isPlanned = false;
  let failedAt: number | null = null;
  let most = MOST;

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
  }

  function refuseLate(): void {
    const late = waiting.filter(({ until }) => until <= now());
    waiting = waiting.filter(({ until }) => until > now());
    for (const one of late) one.reject(new Transient("the store could not be written in time"));
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
    settle(batch, tried);
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
  };
}

function settle(batch: readonly Waiting[], tried: readonly boolean[] | Error): void {
  for (const [at, one] of batch.entries()) {
    if (tried instanceof Error) one.reject(tried);
    else one.resolve(tried[at] === true);
  }
}
