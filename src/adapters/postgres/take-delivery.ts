// Deliveries and what follows from them, inside one transaction: each GUID once, each meaning once.

import type { Arrival } from "../../ports/inbox.ts";
import type { AnyJob, LaneName } from "../../ports.ts";
import { keptReason } from "../kept-reason.ts";
import { jobsOf, keysOf, type Outcome } from "./arrival-jobs.ts";
import { lockKeys, type Putting, putAll } from "./put-job.ts";
import type { Sql } from "./sql.ts";
import { areApart, takeTogether } from "./take-together.ts";
import type { Tickets } from "./tickets.ts";

/**
 * Keeps deliveries with all that follows from them. First thing in a transaction.
 *
 * @returns for each false when it was taken before, by its id or by its meaning
 */
export async function takeDeliveries(
  sql: Sql,
  tickets: Tickets,
  batch: readonly Arrival[],
): Promise<readonly boolean[]> {
  if (areApart(batch)) return takeTogether(sql, tickets, batch);
  await lockKeys(sql, batch.flatMap(keysOf));
  const hand = newHand(sql, tickets);
  const taken: boolean[] = [];
  for (const arrival of batch) taken.push(await takeDelivery(sql, hand, arrival));
  await hand.lay();
  return taken;
}

/** Jobs that are put into the ledger together, as long as nothing needs them there before. */
interface Hand {
  add(lane: LaneName, job: AnyJob, at: number, by: string): Promise<void>;
  lay(): Promise<void>;
}

function newHand(sql: Sql, tickets: Tickets): Hand {
  let held: (Putting & { readonly lane: LaneName })[] = [];
  const lay = async () => {
    const all = held;
    held = [];
    for (const [lane, jobs] of Map.groupBy(all, (one) => one.lane)) await putAll(sql, tickets, lane, jobs);
  };
  const keys = new Set<string>();
  return {
    async add(lane, job, at, by) {
      if (keys.has(job.key)) {
        await lay();
        keys.clear();
      }
      keys.add(job.key);
      held.push({ lane, job, at, by });
    },
    lay,
  };
}

async function takeDelivery(sql: Sql, hand: Hand, { delivery, outcome, beside }: Arrival): Promise<boolean> {
  const { receivedAt: at } = delivery;
  if (!(await keep(sql, delivery, outcome))) return false;
  if (outcome.kind === "cancel") await forgetMeanings(sql, outcome.key);
  for (const { lane, job, by } of jobsOf({ delivery, outcome, beside })) await hand.add(lane, job, at, by);
  return true;
}

/** False when it, or one that means the same, is known. */
async function keep(sql: Sql, delivery: Arrival["delivery"], outcome: Outcome): Promise<boolean> {
  const { id, event, receivedAt, meaning = null } = delivery;
  const insert = (...[kind, reason, means]: readonly (string | null)[]) =>
    sql.run(
      `INSERT INTO deliveries (id, event, received_at, outcome, reason, meaning) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO NOTHING`,
      [id, event, receivedAt, kind, reason, means],
    );
  const told =
    meaning === null ? null : await sql.one<{ id: string }>("SELECT id FROM deliveries WHERE meaning = $1", [meaning]);
  if (told === null) return (await insert(outcome.kind, keptReason(outcome), meaning)) > 0;
  // Its id is kept too: what was answered with 202 can be found.
  await insert("ignored", `says the same as ${told.id}`, null);
  return false;
}

/** What was said before the end may be said again after it: a pull request can be reopened within a second. */
async function forgetMeanings(sql: Sql, key: string): Promise<void> {
  // `A` is the character after `@`.
  await sql.run("UPDATE deliveries SET meaning = NULL WHERE meaning >= $1 || '@' AND meaning < $1 || 'A'", [key]);
}
