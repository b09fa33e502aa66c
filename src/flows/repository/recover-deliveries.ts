// GitHub delivers once and keeps a log of three days. What it could not deliver, or says it did and we never took, is asked
// for once more. It comes back through the door like any delivery, with the id that it had.
import type { DeliveryLog, LoggedDelivery, MissedEventStore } from "../../ports/missed-events.ts";
import { missedRank } from "../../receive/receive.ts";

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

interface RecoveredDeliveries {
  /** Log entries that were read. */
  readonly read: number;
  /** X-GitHub-Delivery of the requested ones. */
  readonly asked: readonly string[];
  /** Those that GitHub can no longer deliver. */
  readonly expired: number;
  /** Left to the next run. */
  readonly left: number;
}

/**
 * One run. Requests each delivery at most once, ever: the request is stored before it is sent.
 *
 * @param now epoch milliseconds
 * @throws Transient when GitHub cannot answer now; the next run begins where this one did
 */
export async function recoverDeliveries(
  log: DeliveryLog,
  store: MissedEventStore,
  now: number,
  limits: RecoverLimits,
): Promise<RecoveredDeliveries> {
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

/** The newest attempt of each delivery. It succeeded if any attempt did. */
async function readLog(
  log: DeliveryLog,
  since: number,
): Promise<{ readonly read: number; readonly latest: ReadonlyMap<string, LoggedDelivery> }> {
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
