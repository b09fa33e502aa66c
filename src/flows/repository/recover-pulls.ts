// Makes up for missed events. Some GitHub never sends, nor logs. So this reads the open pull requests of each
// repository, the least recently read first; a head without a delivery is reviewed like any other. Others are in
// GitHub's log of three days: what it could not deliver, or says it did and we never took, is asked for once more. It
// comes back through the door like any delivery, with the id that it had.
import { Transient } from "../../domain/errors.ts";
import { jobKey, type Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { AddReview, DeliveryLog, LoggedDelivery, MissedEventStore, OpenPulls } from "../../ports/missed-events.ts";
import { missedRank } from "../../receive/receive.ts";

/** A pull request without activity for this long is skipped; a server is back sooner. */
const CATCH_UP_MS = 14 * 24 * 60 * 60_000;
/** Of an installation in one run: with two requests each and six runs an hour, a third of GitHub's 5,000. */
const MOST_REPOSITORIES = 150;
/** The first run after a start reads more: what happened while the server was down is found in minutes. */
const MOST_AT_START = 600;

export interface RecoverPulls {
  readonly pulls: OpenPulls;
  readonly store: MissedEventStore;
  readonly add: AddReview;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What a sweep for missed events asks. */
export interface MissedPorts extends RecoverPulls {
  readonly log: DeliveryLog;
  readonly pause: RecoverLimits["pause"];
}

/** Facts about this run. */
export interface RecoverRun {
  /** The first after a start reads more. */
  readonly isStart: boolean;
  /** Milliseconds since the App's permissions last changed: reviews that GitHub refused before are due at once. */
  readonly permittedForMs: () => number;
}

/** Delay before a refused review is tried again. */
const REFUSED_MS = 60 * 60_000;

/**
 * One run. Adds at most one job per pull request, and none when one is queued, is running or has completed that head.
 *
 * @returns how many repositories were read, `HOST/REPO_ID#NUMBER` of the reviews that were added, and what could not be
 * read and why: `installation 12`, `acme/shop`
 * @throws Transient when GitHub does not list the installations
 */
export async function recoverPulls(ports: RecoverPulls, { isStart, permittedForMs }: RecoverRun) {
  const { pulls, store, add, now } = ports;
  const added: string[] = [];
  const unasked: { readonly what: string; readonly error: unknown }[] = [];
  const lookedAt = await store.lookedAt();
  const started = now();
  // Our time begins with the first attempt, even a failing one: pull requests opened meanwhile may have no delivery.
  const first = await store.firstRound(started);
  const last = (repo: Repo) => lookedAt.get(repoKey(repo)) ?? 0;
  let repositories = 0;
  for (const installation of await pulls.installations()) {
    const { id } = installation;
    const reached = await attempt(`installation ${id}`, () => pulls.repositories(id));
    if (reached === null) continue;
    const newSince = Math.max(first, installation.createdAt, (await store.lastRound(id)) ?? 0);
    const unseen = new Set(reached.filter((repo) => last(repo) === 0));
    const due = reached.toSorted((a, b) => last(a) - last(b) || a.id - b.id);
    for (const repo of due.slice(0, isStart ? MOST_AT_START : MOST_REPOSITORIES)) {
      const found = await attempt(`${repo.owner}/${repo.name}`, () => lookAt(id, repo, newSince));
      if (found === null && isLimited()) break;
      if (found === null) continue;
      unseen.delete(repo);
      repositories += 1;
      added.push(...found);
    }
    // A repository that was not read keeps its time: pull requests opened since then are new when it is read.
    if (unseen.size === 0) await store.round(id, started);
  }
  return { repositories, added, unasked };

  /** Null when it failed, which is recorded: others get their turn. */
  async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      unasked.push({ what, error });
      return null;
    }
  }

  /** GitHub limits this installation until a given time. */
  function isLimited(): boolean {
    const error = unasked.at(-1)?.error;
    return error instanceof Transient && error.notBefore !== null;
  }

  /** @param newSince of a repository that is read for the first time: since when we would have received deliveries */
  async function lookAt(installationId: number, repo: Repo, newSince: number): Promise<readonly string[]> {
    const isNew = last(repo) === 0;
    const open = await pulls.open(installationId, repo, isNew ? 0 : now() - CATCH_UP_MS);
    if (open === null) return [];
    // GitHub's times have whole seconds.
    const older = open.filter(({ createdAt }) => isNew && createdAt + 1_000 <= newSince);
    await store.looked(repo, older, now());
    const keys: string[] = [];
    for (const pull of open) {
      const refused = { endedForMs: REFUSED_MS, begunForMs: permittedForMs() };
      if (!(await store.owes(repo, pull, refused))) continue;
      const { number, headSha } = pull;
      const key = jobKey(repo, number);
      const why = { delivery: "missed", trigger: "missed", explicit: false } as const;
      await add({ kind: "review", key, installationId, repo, number, headSha, ...why });
      keys.push(key);
    }
    return keys;
  }
}

/** docs.github.com, "Redelivering webhooks": deliveries of the last three days. */
const LOG_MS = 3 * 24 * 60 * 60_000;
/** Attempts enter the log when they end, at most 10 s after they began; some enter late. */
const OVERLAP_MS = 15 * 60_000;
/** 100,000 deliveries. */
const MOST_PAGES = 1_000;

export interface RecoverLimits {
  /** Milliseconds for which a delivery may still be in transit. */
  readonly youngMs: number;
  /** Redeliveries requested in one run; the next run continues. */
  readonly most: number;
  /** Waits before a redelivery is requested; a write request counts five of GitHub's 900 points a minute. */
  readonly pause: () => Promise<void>;
}

/**
 * One run. Requests each delivery at most once, ever: the request is stored before it is sent.
 *
 * @param now epoch milliseconds
 * @returns how many log entries were read, X-GitHub-Delivery of the requested deliveries, how many GitHub can no longer
 * deliver, and how many are left to the next run
 * @throws Transient when GitHub cannot answer now; the next run begins where this one did
 */
export async function recoverDeliveries(log: DeliveryLog, store: MissedEventStore, now: number, limits: RecoverLimits) {
  const before = await store.sweptTo();
  const since = Math.max(now - LOG_MS, (before ?? 0) - OVERLAP_MS);
  const { read, latest } = await readLog(log, since);
  const until = now - limits.youngMs;
  // Before our first run, another store may have taken a delivery: GitHub's success counts.
  const wanted = [...latest.values()].filter(
    (one) => one.at <= until && (before !== null || !one.succeeded) && rankOf(one) !== null,
  );
  const unknown = new Set(await store.unknown(wanted.map(({ guid }) => guid)));
  const missed = wanted.filter(({ guid }) => unknown.has(guid)).toSorted(inOrder);
  const asked: string[] = [];
  let expired = 0;
  for (const { id, guid } of missed.slice(0, limits.most)) {
    if (!(await store.asking(guid, now))) continue;
    await limits.pause();
    if ((await log.redeliver(id)) === "expired") expired += 1;
    else asked.push(guid);
  }
  const left = Math.max(0, missed.length - limits.most);
  if (left === 0) await store.swept(until);
  return { read, asked, expired, left };
}

function rankOf({ event, action }: LoggedDelivery): 0 | 1 | null {
  return missedRank(event, action);
}

/** People's comments first, then the oldest. */
function inOrder(a: LoggedDelivery, b: LoggedDelivery): number {
  return (rankOf(a) ?? 1) - (rankOf(b) ?? 1) || a.at - b.at;
}

/** The newest attempt of each delivery, by its id. It succeeded if any attempt did. */
async function readLog(log: DeliveryLog, since: number) {
  const latest = new Map<string, LoggedDelivery>();
  let cursor: string | null = null;
  let read = 0;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { deliveries, next } = await log.page(cursor);
    for (const one of deliveries.filter(({ at }) => at >= since)) {
      const newer = latest.get(one.guid);
      latest.set(one.guid, newer === undefined ? one : { ...newer, succeeded: newer.succeeded || one.succeeded });
      read += 1;
    }
    if (next === null || next === cursor || deliveries.some(({ at }) => at < since)) break;
    cursor = next;
  }
  return { read, latest };
}
