// The processes that work on one database: which live, and what becomes of the others' jobs.
import { isDead } from "../../adapters/process-mark.ts";
import type { ProcessEnd } from "../../ports.ts";
import type { Database, Sql } from "../sql.ts";
import { tryLockKey } from "./coordination.ts";
import { close, hasWaiting, LONGEST_WAIT_MS, type WorkingProcess } from "./job-lane.ts";

/**
 * After so many crashes of its process without progress a job is parked. Each job of a crashed
 * process counts it: which of them ended it is unknown. Progress and an end, also a retry, reset
 * it.
 */
const MOST_CRASHES = 5;
/** From the second crash on jobs come back far apart: one that ends processes hits few others. */
const APART_MS = 45_000;
/** Before another attempt at a job that took too much time. */
const AFTER_OVERRUN_MS = 5_000;

export interface WatchingProcess extends WorkingProcess {
  /** A process without a heartbeat for so long is taken for dead. */
  readonly silentMs: number;
  /** Monotonic milliseconds; only differences count. */
  readonly elapsed: () => number;
}

/**
 * Over an open database. A live process increments its counter. Each measures the silence of others
 * itself: other clocks do not matter, and an outage of the database makes no process look dead.
 */
export function processesOn(db: Database, { instance, process, held, silentMs, elapsed }: WatchingProcess) {
  let seen: ReadonlyMap<string, Seen> = new Map();
  let isFirst = true;

  async function removeDead(): Promise<void> {
    const at = elapsed();
    const living = new Map<string, Seen>();
    for (const other of await db.all<Beating>("SELECT id, process, beats FROM instances WHERE id <> $1", [instance])) {
      const silentFor = silenceOf(other, seen.get(other.id), at);
      if (silentFor >= silentMs || (other.process !== null && isDead(other.process)))
        // Unless it has just sent a heartbeat.
        await db.run("DELETE FROM instances WHERE id = $1 AND beats = $2", [other.id, other.beats]);
      else living.set(other.id, { beats: other.beats, at, silentFor });
    }
    seen = living;
  }

  const ended = async (other: string, end: ProcessEnd): Promise<number> => {
    const remove = () => db.run("DELETE FROM instances WHERE id = $1", [other]);
    if (end.kind === "died") await remove();
    let taken = 0;
    const own = await db.all<Left>(`${LEFT} WHERE state = 'running' AND owner = $1`, [other]);
    for (const left of own) {
      const overran = end.kind === "overran" && left.id === end.job.id && left.token === end.job.token;
      taken += await takeBack(db, left, overran ? end : end.kind === "died" ? "died" : "left");
    }
    // Last, so that no other process takes the jobs for those of one that died.
    await remove();
    return taken;
  };

  return {
    ended,
    release: () => ended(instance, { kind: "stopped" }),
    async heartbeat() {
      // Shortens waits that a wrong clock made longer than the maximum.
      const latest = `(SELECT ${db.dialect.now}) + ${LONGEST_WAIT_MS}`;
      if (isFirst) await db.run(`UPDATE jobs SET run_at = ${latest} WHERE state = 'waiting' AND run_at > ${latest}`);
      isFirst = false;
      await db.run(
        `INSERT INTO instances (id, process, beats) VALUES ($1, $2, 1)
         ON CONFLICT (id) DO UPDATE SET beats = instances.beats + 1`,
        [instance, process],
      );
      await removeDead();
      let taken = 0;
      for (const left of await db.all<Left>(`${LEFT} WHERE ${IS_LEFT}`)) taken += await takeBack(db, left, "died");
      // Leased by a transaction whose commit this process never saw, so it does not run.
      const unknown = await db.all<Left>(
        `${LEFT} WHERE state = 'running' AND owner = $1 AND taken_at <= (SELECT ${db.dialect.now}) - CAST($2 AS bigint)`,
        [instance, silentMs],
      );
      for (const left of unknown) if (!held.has(left.id)) taken += await takeBack(db, left, "left");
      return taken;
    },
    async vouch(other: string) {
      await db.run("UPDATE instances SET beats = beats + 1 WHERE id = $1", [other]);
    },
  };
}

interface Left {
  readonly id: number;
  readonly token: number;
  readonly key: string;
}

const LEFT = "SELECT id, token, key FROM jobs";
const IS_LEFT = "state = 'running' AND (owner IS NULL OR owner NOT IN (SELECT id FROM instances))";

type Overrun = Extract<ProcessEnd, { readonly kind: "overran" }>;

/** Requeues a job. Returns 0 while another client has it locked: the next heartbeat retries. */
function takeBack(db: Database, { id, token, key }: Left, why: "died" | "left" | Overrun): Promise<0 | 1> {
  return db.transaction(async (tx) => {
    if (!(await tryLockKey(tx, key))) return 0;
    const left = await tx.one<{ deaths: number }>(
      `SELECT deaths FROM jobs
       WHERE id = $1 AND token = $2 AND ${why === "died" ? IS_LEFT : "state = 'running'"}${tx.dialect.skipLocked}`,
      [id, token],
    );
    if (left === null) return 0;
    // A process that shut down cleanly is not blamed on its job.
    const deaths = left.deaths + (why === "died" ? 1 : 0);
    await tx.run("UPDATE jobs SET deaths = $2 WHERE id = $1", [id, deaths]);
    if (await hasWaiting(tx, key))
      await close(tx, id, "superseded", "a later job took its place when the process ended");
    else if (deaths >= MOST_CRASHES)
      await close(tx, id, "parked", `parked: ${deaths} processes died while this job ran, without progress in between`);
    else if (typeof why === "string") await waitAgain(tx, id, deaths);
    else
      await tx.run(
        `UPDATE jobs SET state = 'waiting', owner = NULL, overruns = overruns + 1, outcome = $2,
           run_at = ${tx.dialect.now} + CAST($3 AS bigint) WHERE id = $1`,
        [id, why.reason, AFTER_OVERRUN_MS],
      );
    return 1;
  });
}

/** Requeues an interrupted job at its place, or apart. The interrupted attempt does not count. */
async function waitAgain(tx: Sql, id: number, deaths: number): Promise<void> {
  const seen = await tx.one<{ now: number; last: number | null }>(
    `SELECT ${tx.dialect.now} AS now, (SELECT max(run_at) FROM jobs WHERE state = 'waiting' AND deaths > 1) AS last`,
  );
  const runAt = deaths > 1 && seen !== null ? Math.max(seen.now, (seen.last ?? 0) + APART_MS) : null;
  await tx.run(
    `UPDATE jobs SET state = 'waiting', attempt = CASE WHEN attempt > 0 THEN attempt - 1 ELSE 0 END, owner = NULL,
       run_at = coalesce(CAST($2 AS bigint), run_at) WHERE id = $1`,
    [id, runAt],
  );
}

/** Silence counted per check: this process may have been suspended, or the store unavailable. */
const MOST_A_CHECK_MS = 10_000;

/** A process in the store: its name, its mark (see processMark), and its number of heartbeats. */
interface Beating {
  readonly id: string;
  readonly process: string | null;
  readonly beats: number;
}

/** Times are monotonic milliseconds of this process. */
interface Seen {
  readonly beats: number;
  readonly at: number;
  readonly silentFor: number;
}

/** How long a process has been silent, in milliseconds by this process's own clock. */
function silenceOf({ beats }: Beating, last: Seen | undefined, now: number): number {
  if (last?.beats !== beats) return 0;
  return last.silentFor + Math.max(0, Math.min(now - last.at, MOST_A_CHECK_MS));
}
