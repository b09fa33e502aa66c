// The processes that work on one database: which of them live, and what becomes of the jobs of those that do not.
import { isDead } from "../../adapters/process-mark.ts";
import type { LaneName } from "../../ports.ts";
import type { Database, Sql } from "../sql.ts";
import { announce, lockLanes, tryLockKey } from "./coordination.ts";
import { close, hasWaiting, LONGEST_WAIT_MS, type WorkingProcess } from "./job-lane.ts";
import { afterDeath, type Deaths, SUSPECT_AFTER, type Verdict } from "./poison-job-policy.ts";
import { INTERRUPTED_TURN, SUSPECT_TURN } from "./put.ts";

export interface WatchingProcess extends WorkingProcess {
  /** A process without a heartbeat for so long is taken for dead. */
  readonly silentMs: number;
  /** Monotonic milliseconds; only differences count. */
  readonly elapsed: () => number;
}

/**
 * Over an open database. A live process increments its counter. Each process measures the silence of others itself, so clocks of other
 * machines and of the database do not matter, and an outage of the database makes no process look dead.
 */
export function processesOn(db: Database, { instance, process, held, silentMs, elapsed }: WatchingProcess) {
  /** Other processes, as they were at the last heartbeat. */
  let seen: ReadonlyMap<string, Seen> = new Map();
  let isFirst = true;

  async function removeDead(): Promise<void> {
    const at = elapsed();
    const living = new Map<string, Seen>();
    for (const other of await db.all<Beating>("SELECT id, process, beats FROM instances WHERE id <> $1", [instance])) {
      const silentFor = silenceOf(other, seen.get(other.id), at);
      if (silentFor >= silentMs || (other.process !== null && isDead(other.process)))
        await db.transaction((tx) => remove(tx, other));
      else living.set(other.id, { beats: other.beats, at, silentFor });
    }
    seen = living;
  }

  return {
    /** See Queue.heartbeat. */
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
    /** See Queue.release. */
    async release() {
      let given = 0;
      const own = await db.all<Left>(`${LEFT} WHERE state = 'running' AND owner = $1`, [instance]);
      for (const left of own) given += await takeBack(db, left, "left");
      await db.run("DELETE FROM instances WHERE id = $1", [instance]);
      return given;
    },
  };
}

/** Removes a dead process, unless it has just sent a heartbeat; its jobs keep the number of jobs that it ran. */
async function remove(tx: Sql, { id, beats }: Beating): Promise<void> {
  // It may be leasing a job: that locks the job before this table, the reverse of the order here, so lock the lanes first.
  await lockLanes(tx, ["review", "command", "upkeep"]);
  if ((await tx.run("DELETE FROM instances WHERE id = $1 AND beats = $2", [id, beats])) === 0) return;
  await tx.run(
    `UPDATE jobs SET company = (SELECT count(*) FROM jobs AS own WHERE own.state = 'running' AND own.owner = $1)
     WHERE state = 'running' AND owner = $1`,
    [id],
  );
  // It crashed without these jobs, so something else ends processes too.
  await tx.run(
    `UPDATE jobs SET alone = 0 WHERE alone > 0 AND state IN ('waiting', 'running') AND owner IS DISTINCT FROM $1`,
    [id],
  );
}

interface Left {
  readonly id: number;
  readonly token: number;
  readonly key: string;
  readonly lane: LaneName;
}

const LEFT = "SELECT id, token, key, lane FROM jobs";
const IS_LEFT = "state = 'running' AND (owner IS NULL OR owner NOT IN (SELECT id FROM instances))";

/** Requeues a job of a process. Returns 0 while another client has it locked: the next heartbeat retries. */
function takeBack(db: Database, { id, token, key, lane }: Left, why: "died" | "left"): Promise<0 | 1> {
  return db.transaction(async (tx) => {
    if (!(await tryLockKey(tx, key))) return 0;
    const left = await tx.one<Deaths & { company: number | null }>(
      `SELECT deaths, alone, company FROM jobs
       WHERE id = $1 AND token = $2 AND ${why === "died" ? IS_LEFT : "state = 'running'"}${tx.dialect.skipLocked}`,
      [id, token],
    );
    if (left === null) return 0;
    // A process that shut down cleanly is not blamed on its job.
    const { company, ...before } = left;
    const verdict: Verdict = why === "died" ? afterDeath(left, company) : { kind: "again", ...before, restMs: 0 };
    if (await hasWaiting(tx, key))
      await close(tx, id, "superseded", "a later job took its place when the process ended");
    else if (verdict.kind === "parked") await close(tx, id, "parked", verdict.why);
    else await waitFirst(tx, id, verdict);
    await tx.run("UPDATE jobs SET deaths = $2, alone = $3 WHERE id = $1", [id, verdict.deaths, verdict.alone]);
    await announce(tx, [lane]);
    return 1;
  });
}

/** Requeues an interrupted job at the front, after its pause. The interrupted attempt does not count. */
async function waitFirst(tx: Sql, id: number, { deaths, restMs }: { deaths: number; restMs: number }): Promise<void> {
  await tx.run(
    `UPDATE jobs SET state = 'waiting', attempt = CASE WHEN attempt > 0 THEN attempt - 1 ELSE 0 END, owner = NULL,
       run_at = ${tx.dialect.now} + CAST($2 AS bigint), turn = $3, company = NULL WHERE id = $1`,
    [id, restMs, deaths >= SUSPECT_AFTER ? SUSPECT_TURN : INTERRUPTED_TURN],
  );
}

/** Maximum silence counted per check, in case this process was suspended or the store was unavailable. */
const MOST_A_LOOK_MS = 10_000;

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
  return last.silentFor + Math.max(0, Math.min(now - last.at, MOST_A_LOOK_MS));
}
