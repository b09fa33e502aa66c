// A signed delivery is read, kept and only then routed by Probot to what starts the work; so neither a payload that Probot cannot
// read nor work that takes long can lose one. Those that come in at the same time are kept in one transaction.
import type { Logger } from "pino";
import type { Probot } from "probot";
import { Transient } from "../domain/errors.ts";
import type { UpkeepJob } from "../domain/job.ts";
import type { Arrival, Inbox } from "../ports/inbox.ts";
import {
  isForeignCheck,
  isReadEvent,
  receive,
  receiveClosed,
  receivedMeaning,
  receiveFeedback,
} from "../receive/receive.ts";
import type { Store } from "../wire/store.ts";
import type { Metrics } from "./metrics.ts";

/** A delivery that GitHub signed. */
export interface Signed {
  /** X-GitHub-Delivery. */
  readonly id: string;
  /** X-GitHub-Event. */
  readonly event: string;
  readonly body: readonly Buffer[];
}

/** `kept`: on disk, now or before; `busy`: it could not be kept in time; `malformed`: not a JSON object. */
export type Taken = "kept" | "busy" | "malformed";

export interface Reception {
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

export interface Taking {
  readonly probot: Probot;
  readonly store: Pick<Store, "waits">;
  readonly commits: Committer;
  readonly counted: Pick<Metrics, "took">;
  /** Has all lanes of the queue looked at. */
  readonly wake: () => void;
  readonly reception: Reception;
}

/**
 * Of events that ask nothing of us the payload is not even parsed; checks of other Apps are not kept.
 *
 * @throws Error when the store cannot keep it
 */
export async function takeDelivery(signed: Signed, at: Taking): Promise<Taken> {
  const { id, event } = signed;
  const payload = isReadEvent(event) ? parsed(signed.body) : unread(signed.body);
  if (payload === null) return "malformed";
  if (isForeignCheck(event, payload, at.reception.appId)) {
    at.counted.took(event, "ignored");
    return "kept";
  }
  const { githubHost: host, reviewerLogin, slug, debounce, log } = at.reception;
  const delivery = { id, event, payload };
  const now = Date.now();
  const reception = { host, reviewerLogin, slug };
  const received = receive(delivery, reception);
  const wanted = debounce === false ? received : await debounced(received, at.store, now);
  const learning = [receiveFeedback(delivery, reception), receiveClosed(delivery, reception)];
  const { result, beside } = withUpkeep(
    wanted,
    learning.filter((one) => one !== null),
  );
  const row = { id, event, receivedAt: now, meaning: receivedMeaning(delivery, received) };
  const kept = await at.commits.commit({ delivery: row, outcome: result, beside }).catch((error: unknown) => {
    log.error({ event, delivery: id, err: error }, "a delivery could not be kept");
    throw error;
  });
  if (kept === "busy") return "busy";
  at.counted.took(event, kept === "new" ? result.kind : "seen before");
  logDelivery(log, event, result, kept === "new");
  if (kept === "new" && (hasJob(result) || beside.length > 0 || REACHING.has(event))) route(delivery, at);
  return "kept";
}

/** They change what the App reaches: whoever subscribed to them is told also where no job follows. */
const REACHING: ReadonlySet<string> = new Set(["installation", "installation_repositories"]);

/** Null when it is not a JSON object. */
function parsed(body: readonly Buffer[]): object | null {
  try {
    const value: unknown = JSON.parse(Buffer.concat(body).toString("utf8"));
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** As much of it as tells an object from something else. */
const HEAD_BYTES = 100;

function unread(body: readonly Buffer[]): object | null {
  const head = Buffer.concat(body, HEAD_BYTES).toString("latin1");
  return /^[ \t\r\n]{0,100}\{/.test(head) ? {} : null;
}

/** Probot tells whoever subscribed. Its failure costs nothing: the job is kept, and workers look for themselves. */
function route(delivery: { readonly id: string; readonly event: string; readonly payload: unknown }, at: Taking): void {
  const event = { id: delivery.id, name: delivery.event, payload: delivery.payload };
  Promise.resolve()
    .then(() => at.probot.webhooks.receive(event as Parameters<typeof at.probot.webhooks.receive>[0]))
    .catch((error: unknown) => {
      at.reception.log.debug({ event: delivery.event, err: error }, "not routed: the lanes are woken all the same");
      at.wake();
    });
}

type Received = ReturnType<typeof receive>;

/** Before a repository's first review: what its configuration says unless it says otherwise. */
const PUSH_WAIT_MS = 10_000;

/** A push may be the first of a flurry: it waits as long as its repository wishes. Whoever asks in person does not. */
async function debounced(result: Received, { waits }: Taking["store"], now: number): Promise<Received> {
  if (result.kind !== "review" || result.trigger !== "synchronize") return result;
  return { ...result, notBefore: now + ((await waits.of(result.repo)) ?? PUSH_WAIT_MS) };
}

/** What people may have done and said is learnt beside whatever else the delivery asks. */
function withUpkeep(
  result: Received,
  learning: readonly UpkeepJob[],
): { readonly result: Received; readonly beside: readonly UpkeepJob[] } {
  if (learning.length === 0) return { result, beside: [] };
  if (result.kind !== "ignored") return { result, beside: learning };
  return { result: { kind: "upkeep", delivery: result.delivery, jobs: learning }, beside: [] };
}

function hasJob(result: Received): boolean {
  return result.kind === "review" || result.kind === "command" || result.kind === "upkeep";
}

function logDelivery(log: Logger, event: string, result: Received, isNew: boolean): void {
  log.info({ ...told(result), event, kind: isNew ? result.kind : "seen before" }, "delivery");
}

/** A delivery for the log: of a comment who and what kind, not its words. */
function told(result: Received): Readonly<Record<string, unknown>> {
  const { kind: _, ...rest } = result;
  if (result.kind === "upkeep") return { ...rest, jobs: result.jobs.map(({ key }) => key).slice(0, LOGGED_JOBS) };
  if (result.kind !== "command") return rest;
  const { command, comment, pull: __, ...known } = result;
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
