// pg-boss delivers: each job of the ledger that waits has a ticket there, a pg-boss job with the same key, written in the same
// transaction. It says when the job may run (startAfter), whose turn it is (priority), and wakes idle processes (NOTIFY).
//
// What pg-boss cannot say is the ledger's (lane.ts, instances.ts), and a ticket that disagrees with it is put back:
// - its policies `singleton` and `stately` stop a whole queue at a key that is busy, so tickets are `exclusive`: of one key one
//   ticket waits or is out, and it is for the key, whichever job waits under it by then;
// - its retries and heartbeats know nothing of processes that died over a job, nor of a token that a write could be held
//   against, so a ticket is never tried again: whoever gives a job back writes a new one;
// - its dead letter queue would be a second list beside the one that `kodiai jobs` shows and tries again.
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import type { LaneName } from "../../ports.ts";
import { type Ear, openEar } from "./ear.ts";
import { translated } from "./postgres-error.ts";
import type { Sql } from "./sql.ts";

export const LANES: readonly LaneName[] = ["review", "command", "upkeep"];

/** A job that waits, as far as its delivery needs it. */
export interface Waiting {
  readonly lane: LaneName;
  readonly key: string;
  /** `HOST/ID`: the group. */
  readonly repo: string;
  /** Epoch milliseconds of the database's clock. */
  readonly runAt: number;
  /** The lowest comes first. */
  readonly tag: number;
}

/** A ticket that is out, or none. */
export interface Ticket {
  readonly id: string;
  readonly key: string;
}

export interface Tickets {
  /** A ticket for a job that has none; null when the key's ticket is out. Locks it before any row of the ledger is locked. */
  issue(sql: Sql, waiting: Waiting): Promise<string | null>;
  /** The same for many of one lane at once, by their keys; one that cannot be had this way is missing. */
  issueAll(sql: Sql, waiting: readonly Waiting[]): Promise<ReadonlyMap<string, string>>;
  /** False when the ticket is out by now. Locks it as `issue` does. */
  move(sql: Sql, ticket: string, waiting: Waiting): Promise<boolean>;
  /** The next that is due and that nobody else looks at. */
  next(sql: Sql, lane: LaneName): Promise<Ticket | null>;
  /** It has done its duty. */
  done(sql: Sql, lane: LaneName, ticket: string): Promise<void>;
  /** Tells of every lane in which a job may run now, whichever process put it there. */
  heard(wake: (lane: LaneName) => void): void;
  close(): Promise<void>;
}

/** Its own, so that a pg-boss of somebody else in the same database is left alone. */
export const BOSS_SCHEMA = "kodiai_boss";

const HOUR_S = 3_600;
const OPTIONS = {
  policy: "exclusive",
  notify: true,
  retryLimit: 0,
  // The longest that pg-boss allows: the ledger knows sooner.
  expireInSeconds: 24 * HOUR_S - 1,
  retentionSeconds: 365 * 24 * HOUR_S,
  deleteAfterSeconds: HOUR_S,
} as const;
/** For its own upkeep only: what we ask runs on our connections. */
const CONNECTIONS = 2;
const STATEMENT_MS = 30_000;
/** A connection that was cut without a word answers nothing: the server's own limit has passed by then. */
const ANSWER_MS = STATEMENT_MS + 5_000;
/** What its upkeep is at may be lost at any moment; nobody who stops waits for an answer that does not come. */
const STOP_MS = 3_000;

/**
 * Opens pg-boss, creating its schema where it is missing. Throws `Transient` when the server cannot be reached now.
 *
 * @param url as for openPostgres
 * @param onTrouble told what goes wrong in its upkeep; it goes on by itself
 */
export async function openTickets(url: string, onTrouble: (error: unknown) => void): Promise<Tickets> {
  // These two are the driver's own: whatever is given here is given to its pool.
  const patience = { query_timeout: ANSWER_MS, keepAlive: true };
  const boss = new PgBoss({
    ...patience,
    connectionString: url,
    schema: BOSS_SCHEMA,
    application_name: "kodiai pg-boss",
    max: CONNECTIONS,
    options: `-c statement_timeout=${STATEMENT_MS}`,
    schedule: false,
    reindex: false,
  });
  boss.on("error", onTrouble);
  await start(boss).catch(async (error: unknown) => {
    await boss.stop({ graceful: false }).catch(onTrouble);
    throw translated(error);
  });
  let ear: Ear | null = null;
  return {
    ...ticketsOf(boss),
    heard(wake) {
      const one = (name: string) => LANES.filter((lane) => lane === name).forEach(wake);
      ear = openEar(url, CHANNEL, one, () => LANES.forEach(wake));
    },
    async close() {
      await ear?.close();
      await Promise.race([boss.stop({ graceful: false }), wait(STOP_MS, undefined, { ref: false })]);
    },
  };
}

async function start(boss: PgBoss): Promise<void> {
  await boss.start();
  const known = new Set((await boss.getQueues()).map(({ name }) => name));
  for (const lane of LANES) if (!known.has(lane)) await boss.createQueue(lane, OPTIONS);
}

function ticketsOf(boss: PgBoss): Omit<Tickets, "heard" | "close"> {
  return {
    async issue(sql, { lane, key, ...waiting }) {
      const options = { ...placeOf(waiting), db: over(sql), singletonKey: key };
      // What is left of a job that was dropped serves the next of its key.
      return (await boss.send(lane, { key }, options)) ?? (await boss.upsert(lane, { key }, options)).jobs[0] ?? null;
    },
    async issueAll(sql, waiting) {
      const [first] = waiting;
      if (first === undefined) return new Map();
      const ids = new Map(waiting.map(({ key }): [string, string] => [randomUUID(), key]));
      const jobs = [...ids.keys()].map((id, index) => {
        const { lane: _, key, ...place } = waiting[index] ?? first;
        return { ...placeOf(place), id, data: { key }, singletonKey: key };
      });
      const issued = await boss.insert(first.lane, jobs, { db: over(sql), returnId: true });
      return new Map((issued ?? []).map((id) => [ids.get(id) ?? "", id]));
    },
    async move(sql, id, { lane, key, ...waiting }) {
      const { updated } = await boss.update(lane, { key }, { ...placeOf(waiting), db: over(sql), id });
      return updated > 0;
    },
    async next(sql, lane) {
      const [found] = await boss.fetch<{ readonly key: string }>(lane, { db: over(sql) });
      return found === undefined ? null : { id: found.id, key: found.data.key };
    },
    async done(sql, lane, id) {
      await boss.complete(lane, id, undefined, { db: over(sql) });
    },
  };
}

function placeOf({ repo, runAt, tag }: Omit<Waiting, "lane" | "key">) {
  return { startAfter: new Date(runAt), priority: -tag, group: { id: repo } };
}

function over(sql: Sql) {
  return { executeSql: async (text: string, values: unknown[] = []) => ({ rows: await sql.all(text, values) }) };
}

/** As pg-boss names it for a schema: `notifyChannelSql` in its plans.js. */
const CHANNEL = `pgboss_${createHash("sha224").update(BOSS_SCHEMA).digest("hex").slice(0, 24)}`;
