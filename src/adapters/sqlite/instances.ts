// The processes that work on one file: who lives, and what becomes of the jobs of those who do not.

import { isGone } from "../process-mark.ts";
import { type Beating, silenceWatch } from "../silence.ts";
import { afterDeath, type Deaths } from "../suspicion.ts";
import { type Database, write } from "./database.ts";

export interface InstanceOptions {
  /** Its own name, unlike all others. */
  readonly instance: string;
  /** See processMark. */
  readonly process: string | null;
  /** How long another may be silent. */
  readonly silentMs: number;
}

export interface Instances {
  beat(now: number): number;
  leave(now: number): number;
}

/** Over an open queue database. Times are those of a clock that nobody sets. */
export function instances(db: Database.Database, { instance, process, silentMs }: InstanceOptions): Instances {
  const watch = silenceWatch(silentMs);

  function strikeOff(now: number): void {
    const others = db.prepare("SELECT id, process, beats FROM instances WHERE id <> ?").all(instance) as Beating[];
    for (const other of others) {
      if (!watch.isSilent(other, now) && (other.process === null || !isGone(other.process))) continue;
      watch.forget(other.id);
      db.prepare("DELETE FROM instances WHERE id = ?").run(other.id);
      // It died without them: somebody else kills processes as well.
      db.prepare("UPDATE jobs SET alone = 0 WHERE alone > 0 AND state <> 'dead' AND owner IS NOT ?").run(other.id);
    }
  }

  return {
    beat: (now) =>
      write(db, () => {
        db.prepare(
          "INSERT INTO instances (id, process, beats) VALUES (?, ?, 1) ON CONFLICT (id) DO UPDATE SET beats = beats + 1",
        ).run(instance, process);
        strikeOff(now);
        const left = db.prepare(LEFT_ALONE).all() as (Left & { readonly company: number | null })[];
        for (const job of left) takeBack(db, job, now, afterDeath(job, job.company));
        return left.length;
      }),
    leave: (now) =>
      write(db, () => {
        const left = db
          .prepare("SELECT id, key, deaths, alone FROM jobs WHERE state = 'running' AND owner = ?")
          .all(instance) as Left[];
        for (const job of left) takeBack(db, job, now, { ...job, kind: "again", restMs: 0 });
        db.prepare("DELETE FROM instances WHERE id = ?").run(instance);
        return left.length;
      }),
  };
}

/** With how many jobs their process had; it ended without a word. */
const LEFT_ALONE = `SELECT id, key, deaths, alone, CASE WHEN owner IS NOT NULL THEN count(*) OVER (PARTITION BY owner) END AS company
  FROM jobs WHERE state = 'running' AND (owner IS NULL OR owner NOT IN (SELECT id FROM instances))`;

interface Left extends Deaths {
  readonly id: number;
  readonly key: string;
}

function takeBack(db: Database.Database, { id, key }: Left, now: number, verdict: ReturnType<typeof afterDeath>): void {
  const { deaths, alone } = verdict;
  const end = (state: "dead" | "superseded", why: string) =>
    db
      .prepare("UPDATE jobs SET state = ?, owner = NULL, deaths = ?, outcome = ?, finished_at = ? WHERE id = ?")
      .run(state, deaths, why, now, id);
  const isOvertaken = db.prepare("SELECT 1 FROM jobs WHERE key = ? AND state = 'waiting'").get(key) !== undefined;
  if (isOvertaken) end("superseded", "a later job took its place when the process ended");
  else if (verdict.kind === "parked") end("dead", verdict.why);
  else
    db.prepare(
      `UPDATE jobs SET state = 'waiting', attempt = max(0, attempt - 1), owner = NULL, run_at = ?, deaths = ?, alone = ?,
         interrupted_at = ? WHERE id = ?`,
    ).run(now + verdict.restMs, deaths, alone, now, id);
}
