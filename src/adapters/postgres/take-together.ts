// Deliveries that have nothing to do with each other, as nearly all have: what is asked for all of them is asked at once, and what is
// written is written at once, in four round trips however many they are.
import { Transient } from "../../domain/transient.ts";
import type { Arrival } from "../../ports/inbox.ts";
import type { LaneName } from "../../ports.ts";
import { keptReason } from "../kept-reason.ts";
import { type ArrivedJob, jobsOf, keysOf } from "./arrival-jobs.ts";
import { lockKeys, type Place, placesOf, putAt } from "./put-job.ts";
import type { Sql } from "./sql.ts";
import type { Tickets } from "./tickets.ts";

/** Whether none of them bears on what another one of them comes to. */
export function areApart(batch: readonly Arrival[]): boolean {
  const isAlone = (all: readonly string[]) => new Set(all).size === all.length;
  return (
    batch.every(({ outcome }) => outcome.kind !== "cancel") &&
    isAlone(batch.map(({ delivery }) => delivery.id)) &&
    isAlone(batch.flatMap(({ delivery }) => delivery.meaning ?? [])) &&
    isAlone(batch.flatMap(jobsOf).map(({ job }) => job.key))
  );
}

interface Coming extends ArrivedJob {
  readonly arrival: Arrival;
}

interface Known {
  /** Its id is. */
  readonly known: boolean;
  /** The one that said the same. */
  readonly told: string | null;
}

/** See takeDeliveries. */
export async function takeTogether(sql: Sql, tickets: Tickets, batch: readonly Arrival[]): Promise<readonly boolean[]> {
  const coming = batch.flatMap((arrival) => jobsOf(arrival).map((job): Coming => ({ ...job, arrival })));
  const lanes = [...Map.groupBy(coming, ({ lane }) => lane)];
  // Each looks when the one before it is done: what others wrote before they gave up the keys is seen.
  const [, known, ...places] = await allOf([
    lockKeys(sql, batch.flatMap(keysOf)),
    knownAmong(sql, batch),
    ...lanes.map(([lane, jobs]) =>
      placesOf(
        sql,
        lane,
        jobs.map(({ job }) => job),
      ),
    ),
  ] as const);
  const fresh = new Set(batch.filter((_, at) => known[at]?.known === false && known[at].told === null));
  const [kept] = await allOf([
    keep(sql, batch, known),
    ...lanes.map(([lane, jobs], at) => putFresh(sql, tickets, lane, fresh, jobs, places[at] ?? [])),
  ] as const);
  // Under other keys at the same time: all of it once more, and by then it is known.
  for (const { delivery } of fresh)
    if (!kept.has(delivery.id)) throw new Transient(`delivery ${delivery.id} is being taken by somebody else`);
  return batch.map((arrival) => fresh.has(arrival));
}

/** When all have come to their end, so that nothing is asked after a failure. */
async function allOf<All extends readonly Promise<unknown>[]>(all: All) {
  await Promise.allSettled(all);
  return Promise.all(all);
}

async function knownAmong(sql: Sql, batch: readonly Arrival[]): Promise<readonly Known[]> {
  return sql.all<Known>(
    `SELECT own.id IS NOT NULL AS known, said.id AS told
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (id, meaning, place)
     LEFT JOIN deliveries own ON own.id = given.id LEFT JOIN deliveries said ON said.meaning = given.meaning ORDER BY place`,
    [batch.map(({ delivery }) => delivery.id), batch.map(({ delivery }) => delivery.meaning ?? null)],
  );
}

/** The ids that were not kept before. One that says what was said is kept too: what was answered with 202 can be found. */
async function keep(sql: Sql, batch: readonly Arrival[], known: readonly Known[]): Promise<ReadonlySet<string>> {
  const rows = batch.map(({ delivery: { id, event, receivedAt, meaning = null }, outcome }, at) => {
    const told = known[at]?.told ?? null;
    return told === null
      ? { id, event, receivedAt, outcome: outcome.kind, reason: keptReason(outcome), meaning }
      : { id, event, receivedAt, outcome: "ignored", reason: `says the same as ${told}`, meaning: null };
  });
  const kept = await sql.all<{ id: string }>(
    `INSERT INTO deliveries (id, event, received_at, outcome, reason, meaning)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [
      ...[rows.map(({ id }) => id), rows.map(({ event }) => event), rows.map(({ receivedAt }) => receivedAt)],
      ...[rows.map(({ outcome }) => outcome), rows.map(({ reason }) => reason), rows.map(({ meaning }) => meaning)],
    ],
  );
  return new Set(kept.map(({ id }) => id));
}

function putFresh(
  sql: Sql,
  tickets: Tickets,
  lane: LaneName,
  fresh: ReadonlySet<Arrival>,
  jobs: readonly Coming[],
  places: readonly Place[],
): Promise<void> {
  const isFresh = ({ arrival }: Coming) => fresh.has(arrival);
  const puttings = jobs.filter(isFresh).map(({ job, by, arrival }) => ({ job, at: arrival.delivery.receivedAt, by }));
  const seen = places.filter((_, at) => jobs[at] !== undefined && isFresh(jobs[at]));
  return putAt(sql, tickets, lane, puttings, seen);
}
