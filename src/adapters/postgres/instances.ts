// The processes that work on one database: who lives, and what becomes of the jobs of those who do not.
import type { LaneName } from "../../ports.ts";
import { isGone } from "../process-mark.ts";
import { type Beating, silenceWatch } from "../silence.ts";
import { afterDeath, type Deaths } from "../suspicion.ts";
import { close, handOn, LONGEST_WAIT_MS } from "./lane.ts";
import { FIRST_TAG, issueTo, tryKey, WANTS_TICKET } from "./put-job.ts";
import type { Postgres, Sql } from "./sql.ts";
import { BOSS_SCHEMA, type Tickets } from "./tickets.ts";

/** Jobs without a ticket that one look gives one. */
const MOST_ISSUED = 200;

export interface InstanceOptions {
  /** Its own name, unlike all others. */
  readonly instance: string;
  /** See processMark. */
  readonly process: string | null;
  /** How long another may be silent. */
  readonly silentMs: number;
  /** Jobs that this process knows it holds. */
  readonly held: Set<number>;
}

export interface Instances {
  beat(now: number): Promise<number>;
  leave(): Promise<number>;
}

/**
 * Over an open database. Who lives counts up, and silence is what each process saw itself, by a clock that nobody sets: no
 * clock of another machine matters, nor the database's, and a database that was away for a minute kills nobody.
 */
export function instances(db: Postgres, tickets: Tickets, options: InstanceOptions): Instances {
  const { instance, process, silentMs, held } = options;
  const watch = silenceWatch(silentMs);
  let isFirst = true;

  async function strikeOff(now: number): Promise<void> {
    for (const other of await db.all<Beating>("SELECT id, process, beats FROM instances WHERE id <> $1", [instance])) {
      if (!watch.isSilent(other, now) && (other.process === null || !isGone(other.process))) continue;
      watch.forget(other.id);
      await db.transaction((sql) => buried(sql, other));
    }
  }

  return {
    async beat(now) {
      if (isFirst) await heal(db);
      isFirst = false;
      await db.run(BEAT, [instance, process]);
      await strikeOff(now);
      let taken = 0;
      for (const left of await db.all<Left>(LEFT_ALONE)) taken += await takeBack(db, tickets, left, 1);
      // Taken by a transaction whose commit was never heard of: nobody works on it.
      const unknown = await db.all<Left>(LONG_HELD, [instance, silentMs]);
      for (const left of unknown) if (!held.has(left.id)) taken += await takeBack(db, tickets, left, 0);
      await deliver(db, tickets);
      return taken;
    },
    async leave() {
      let given = 0;
      for (const left of await db.all<Left>(LONG_HELD, [instance, 0])) given += await takeBack(db, tickets, left, 0);
      await db.run("DELETE FROM instances WHERE id = $1", [instance]);
      return given;
    },
  };
}

/** One that died is struck off, unless it was heard of a moment ago; its jobs know how many they were. */
async function buried(sql: Sql, { id, beats }: Beating): Promise<void> {
  if ((await sql.run("DELETE FROM instances WHERE id = $1 AND beats = $2", [id, beats])) === 0) return;
  await sql.run(
    `UPDATE jobs SET company = (SELECT count(*) FROM jobs AS own WHERE own.state = 'running' AND own.owner = $1)
     WHERE state = 'running' AND owner = $1`,
    [id],
  );
  // It died without them: somebody else kills processes as well.
  await sql.run(
    `UPDATE jobs SET alone = 0 WHERE alone > 0 AND state IN ('waiting', 'running') AND owner IS DISTINCT FROM $1`,
    [id],
  );
}

const BEAT = `INSERT INTO instances (id, process, beats) VALUES ($1, $2, 1)
  ON CONFLICT (id) DO UPDATE SET beats = instances.beats + 1`;

interface Left {
  readonly id: number;
  readonly token: number;
  readonly key: string;
  readonly lane: LaneName;
}

const IS_LEFT_ALONE = "state = 'running' AND (owner IS NULL OR owner NOT IN (SELECT id FROM instances))";
const LEFT_ALONE = `SELECT id, token, key, lane FROM jobs WHERE ${IS_LEFT_ALONE}`;
const LONG_HELD = `SELECT id, token, key, lane FROM jobs
  WHERE state = 'running' AND owner = $1 AND taken_at <= queue_now() - $2::bigint`;

/** Whoever is at the key or at the job finishes first: the next beat looks again. Returns how many were taken back. */
function takeBack(db: Postgres, tickets: Tickets, { id, token, key, lane }: Left, died: 0 | 1): Promise<0 | 1> {
  return db.transaction(async (sql) => {
    if (!(await tryKey(sql, key))) return 0;
    const left = await sql.one<Deaths & { company: number | null; ticket: string | null; isOvertaken: boolean }>(
      `SELECT deaths, alone, company, ticket, EXISTS (SELECT 1 FROM jobs AS later WHERE later.key = $3 AND later.state = 'waiting') AS "isOvertaken"
       FROM jobs WHERE id = $1 AND token = $2 AND ${died === 1 ? IS_LEFT_ALONE : "state = 'running'"} FOR UPDATE SKIP LOCKED`,
      [id, token, key],
    );
    if (left === null) return 0;
    const verdict = died === 1 ? afterDeath(left, left.company) : ({ ...left, kind: "again", restMs: 0 } as const);
    if (left.isOvertaken) await close(sql, id, "superseded", "a later job took its place when the process ended");
    else await execute(sql, id, verdict);
    await handOn(sql, tickets, { id, key, lane, ticket: left.ticket });
    return 1;
  });
}

/** Interrupted jobs come before all that wait, after a rest where they have one. */
async function execute(sql: Sql, id: number, verdict: ReturnType<typeof afterDeath>): Promise<void> {
  if (verdict.kind === "parked") return close(sql, id, "dead", verdict.why);
  const { deaths, alone, restMs } = verdict;
  await sql.run(
    `UPDATE jobs SET state = 'waiting', attempt = greatest(0, attempt - 1), owner = NULL, ticket = NULL, run_at = queue_now() + $2, deaths = $3, alone = $4, company = NULL,
       tag = ${FIRST_TAG} WHERE id = $1`,
    [id, restMs, deaths, alone],
  );
}

/** Jobs that were put there without a ticket, as by the command line or a move from another store. */
async function deliver(db: Postgres, tickets: Tickets): Promise<void> {
  const undelivered = await db.all<{ key: string }>(
    `SELECT key FROM jobs WHERE ${WANTS_TICKET}
       AND NOT EXISTS (SELECT 1 FROM jobs AS busy WHERE busy.key = jobs.key AND busy.state = 'running')
     ORDER BY id LIMIT ${MOST_ISSUED}`,
  );
  for (const { key } of undelivered)
    await db.transaction(async (sql) => {
      if (await tryKey(sql, key)) await issueTo(sql, tickets, key);
    });
}

/** At a start: waits that a clock made too long, and tickets that pg-boss no longer has. */
async function heal(db: Sql): Promise<void> {
  await db.run(
    `UPDATE jobs SET run_at = queue_now() + ${LONGEST_WAIT_MS}, ticket = NULL
     WHERE state = 'waiting' AND run_at > queue_now() + ${LONGEST_WAIT_MS}`,
  );
  await db.run(
    `UPDATE jobs SET ticket = NULL WHERE state = 'waiting' AND ticket IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM ${BOSS_SCHEMA}.job AS known
       WHERE known.name = jobs.lane AND known.id = jobs.ticket AND known.state IN ('created', 'retry'))`,
  );
}
