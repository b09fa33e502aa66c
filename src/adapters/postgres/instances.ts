// The processes that work on one database: who lives, and what becomes of the jobs of those who do not.
import type { LaneName } from "../../ports.ts";
import { isGone } from "../process-mark.ts";
import { close, handOn, LONGEST_WAIT_MS, waitAgain } from "./lane.ts";
import { issueTo, tryKey } from "./put-job.ts";
import type { Postgres, Sql } from "./sql.ts";
import { BOSS_SCHEMA, type Tickets } from "./tickets.ts";

/** After so many processes that died over it, without any progress between, a job is parked. */
const MOST_DEATHS = 3;
/** Whoever looks rarely, as after standing still itself or a database that was away, counts no more than this for one look. */
const MOST_A_LOOK_MS = 10_000;
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

interface Row {
  readonly id: string;
  readonly process: string | null;
  readonly beats: number;
}

interface Seen {
  readonly beats: number;
  readonly at: number;
  readonly silentFor: number;
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
  const seen = new Map<string, Seen>();
  let isFirst = true;

  function isSilent({ id, beats }: Row, now: number): boolean {
    const last = seen.get(id);
    const passed = last === undefined || last.beats !== beats ? null : Math.min(now - last.at, MOST_A_LOOK_MS);
    const silentFor = passed === null || last === undefined ? 0 : last.silentFor + Math.max(0, passed);
    seen.set(id, { beats, at: now, silentFor });
    return silentFor >= silentMs;
  }

  async function strikeOff(now: number): Promise<void> {
    for (const other of await db.all<Row>("SELECT id, process, beats FROM instances WHERE id <> $1", [instance])) {
      if (!isSilent(other, now) && (other.process === null || !isGone(other.process))) continue;
      seen.delete(other.id);
      // Unless it was heard of a moment ago.
      await db.run("DELETE FROM instances WHERE id = $1 AND beats = $2", [other.id, other.beats]);
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
    const left = await sql.one<{ deaths: number; ticket: string | null; isOvertaken: boolean }>(
      `SELECT deaths, ticket, EXISTS (SELECT 1 FROM jobs AS later WHERE later.key = $3 AND later.state = 'waiting') AS "isOvertaken"
       FROM jobs WHERE id = $1 AND token = $2 AND ${died === 1 ? IS_LEFT_ALONE : "state = 'running'"} FOR UPDATE SKIP LOCKED`,
      [id, token, key],
    );
    if (left === null) return 0;
    const deaths = left.deaths + died;
    if (left.isOvertaken) await close(sql, id, "superseded", "a later job took its place when the process ended");
    else if (deaths >= MOST_DEATHS) await close(sql, id, "dead", `parked: ${deaths} processes died while this job ran`);
    else await waitAgain(sql, id, 0, deaths, null);
    await handOn(sql, tickets, { id, key, lane, ticket: left.ticket });
    return 1;
  });
}

/** Jobs that were put there without a ticket, as by the command line or a move from another store. */
async function deliver(db: Postgres, tickets: Tickets): Promise<void> {
  const undelivered = await db.all<{ key: string }>(
    `SELECT key FROM jobs WHERE state = 'waiting' AND ticket IS NULL
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
