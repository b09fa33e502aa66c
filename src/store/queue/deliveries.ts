// Stores deliveries and their jobs: each id and fingerprint once, a whole batch in a transaction.

import { failPoint } from "../../adapters/fail-point.ts";
import { Transient } from "../../domain/errors.ts";
import { type HeadJob, jobKey, type ReviewJob } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { Arrival, Inbox } from "../../ports/inbox.ts";
import { withoutRepeats } from "../columns.ts";
import type { Database, Sql } from "../sql.ts";
import { insert, oneValue, upsert } from "../statement.ts";
import { lockKeys } from "./coordination.ts";
import { type ComingJob, comingJob, putJobs } from "./put.ts";

export function storedInbox(db: Database): Inbox {
  return {
    async take(batch) {
      failPoint("before-accept");
      const taken = await db.transaction((tx) => takeDeliveries(tx, batch));
      failPoint("after-accept");
      return taken;
    },
    probe: (now) => upsert(db, "probes", ["id"], { id: 1, at: now }),
  };
}

/**
 * Stores deliveries with their jobs. Call it first in a transaction.
 *
 * @returns for each, false when it was stored before, by id or by fingerprint
 */
export async function takeDeliveries(tx: Sql, arrivals: readonly Arrival[]): Promise<readonly boolean[]> {
  const batch: Arrival[] = [];
  for (const arrival of arrivals) batch.push(await withHeads(tx, arrival));
  await lockKeys(tx, batch.flatMap(keysOf));
  const taken: boolean[] = [];
  for (const arrival of batch) taken.push(await takeDelivery(tx, arrival));
  return taken;
}

/** The delivery with the reviews of pull requests that share its head. */
async function withHeads(tx: Sql, arrival: Arrival): Promise<Arrival> {
  const { outcome, beside } = arrival;
  if (outcome.kind === "heads") {
    const { each, named, delivery } = outcome;
    const own = named.map((number) => jobKey(each.repo, number));
    const [first, ...more] = jobsOn(each, [...own, ...(await keysWith(tx, each, KNOWN_HEADS))]);
    const reason = "the check run belongs to no pull request that we know";
    return { ...arrival, outcome: first ?? { kind: "ignored", delivery, reason }, beside: [...beside, ...more] };
  }
  if (outcome.kind !== "cancel" || outcome.others === null) return arrival;
  const keys = await keysWith(tx, outcome.others, CHECKED_HEADS);
  const others = keys.filter((key) => key !== outcome.key);
  return { ...arrival, beside: [...beside, ...jobsOn(outcome.others, others)] };
}

const CHECKED_HEADS = "SELECT DISTINCT key FROM check_runs WHERE head_sha = $1 ORDER BY key";
/** Also those without one: skipped where another had it, or begun without a permission. */
const KNOWN_HEADS = `SELECT key FROM check_runs WHERE head_sha = $1 UNION SELECT key FROM reviews WHERE head_sha = $1
  UNION SELECT key FROM jobs WHERE lane = 'review' AND job LIKE '%"headSha":"' || $1 || '"%' ORDER BY key`;

async function keysWith(tx: Sql, { repo, headSha }: HeadJob, text: string): Promise<readonly string[]> {
  const rows = await tx.all<{ key: string }>(text, [headSha]);
  const own = `${repoKey(repo)}#`;
  return rows.map(({ key }) => key).filter((key) => key.startsWith(own) && /#\d+$/.test(key));
}

function jobsOn(each: HeadJob, keys: readonly string[]): readonly ReviewJob[] {
  return [...new Set(keys)].map((key) => ({ ...each, key, number: Number(key.slice(key.lastIndexOf("#") + 1)) }));
}

function keysOf(arrival: Arrival): readonly string[] {
  const { meaning } = arrival.delivery;
  const pull = meaning === null ? [] : [meaning.slice(0, meaning.lastIndexOf("@"))];
  const closed = arrival.outcome.kind === "cancel" ? [arrival.outcome.key] : [];
  return [...pull, ...closed, ...jobsOf(arrival).map(({ job }) => job.key)];
}

function jobsOf({ delivery, outcome, beside }: Arrival): readonly ComingJob[] {
  const isJob = outcome.kind === "review" || outcome.kind === "command";
  const own = isJob ? [outcome] : outcome.kind === "upkeep" ? outcome.jobs : [];
  return [...own, ...beside].map((job) => comingJob(job, delivery.receivedAt));
}

/** False when it was stored before. With a known fingerprint it is stored too: 202 is a record. */
async function takeDelivery(tx: Sql, arrival: Arrival): Promise<boolean> {
  const { outcome } = arrival;
  const { id, event, receivedAt, meaning } = arrival.delivery;
  if ((await tx.one("SELECT 1 AS known FROM deliveries WHERE id = $1", [id])) !== null) return false;
  const same = await oneValue<string>(tx, "SELECT id FROM deliveries WHERE meaning = $1", [meaning]);
  const kept =
    same === null
      ? { outcome: outcome.kind, reason: keptReason(outcome), meaning }
      : { outcome: "ignored", reason: `says the same as ${same}` };
  const row = { id, event, received_at: receivedAt, ...kept };
  const isKept = (await insert(tx, "deliveries", row, "ON CONFLICT (id) DO NOTHING")) > 0;
  if (same !== null) return false;
  // Another client is storing the same under other keys: start over, and find it stored.
  if (!isKept) throw new Transient(`delivery ${id} is being taken by another process`);
  // The pull request can be reopened within a second. `A` comes after `@`.
  const clear = "UPDATE deliveries SET meaning = NULL WHERE meaning >= $1 AND meaning < $2";
  if (outcome.kind === "cancel") await tx.run(clear, [`${outcome.key}@`, `${outcome.key}A`]);
  // Two jobs of one delivery may share a key: the later replaces the earlier.
  for (const jobs of withoutRepeats(jobsOf(arrival), ({ job }) => job.key)) await putJobs(tx, jobs);
  return true;
}

/** In short: `synchronize`, `review`, `push`, `3 jobs`, or why it was ignored. */
function keptReason(outcome: Arrival["outcome"]): string {
  if (outcome.kind === "review") return outcome.trigger;
  if (outcome.kind === "heads") return outcome.each.trigger;
  if (outcome.kind === "command") return outcome.command.kind === "verb" ? outcome.command.verb : outcome.command.kind;
  if (outcome.kind !== "upkeep") return outcome.reason;
  const [first, second] = outcome.jobs;
  const isOne = first !== undefined && second === undefined;
  return isOne ? `${first.kind}: ${first.trigger}` : `${outcome.jobs.length} jobs`;
}
