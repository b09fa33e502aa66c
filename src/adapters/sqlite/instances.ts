// The processes that work on one file: who lives, and what becomes of the jobs of those who do not.

import { isGone } from "../process-mark.ts";
import { type Database, write } from "./database.ts";

/** After so many processes that died over it, without any progress between, a job is parked. */
const MOST_DEATHS = 3;
/** Whoever looks rarely, as after standing still itself, counts no more than this for one look. */
const MOST_A_LOOK_MS = 10_000;

export interface InstanceOptions {
  /** Its own name, unlike all others. */
  readonly instance: string;
  /** See processMark. */
  readonly process: string | null;
  /** How long another may be silent. */
  readonly silentMs: number;
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
  beat(now: number): number;
  leave(now: number): number;
}

/** Over an open queue database. Times are those of a clock that nobody sets. */
export function instances(db: Database.Database, { instance, process, silentMs }: InstanceOptions): Instances {
  const seen = new Map<string, Seen>();

  /** Silence is what this process saw itself: clocks of others do not matter. */
  function isSilent({ id, beats }: Row, now: number): boolean {
    const last = seen.get(id);
    const passed = last === undefined || last.beats !== beats ? null : Math.min(now - last.at, MOST_A_LOOK_MS);
    const silentFor = passed === null || last === undefined ? 0 : last.silentFor + Math.max(0, passed);
    seen.set(id, { beats, at: now, silentFor });
    return silentFor >= silentMs;
  }

  function others(): readonly Row[] {
    return db.prepare("SELECT id, process, beats FROM instances WHERE id <> ?").all(instance) as Row[];
  }

  return {
    beat: (now) =>
      write(db, () => {
        db.prepare(
          "INSERT INTO instances (id, process, beats) VALUES (?, ?, 1) ON CONFLICT (id) DO UPDATE SET beats = beats + 1",
        ).run(instance, process);
        for (const other of others()) {
          if (isSilent(other, now) || (other.process !== null && isGone(other.process))) {
            seen.delete(other.id);
            db.prepare("DELETE FROM instances WHERE id = ?").run(other.id);
          }
        }
        const left = db
          .prepare(
            `SELECT id, key, deaths + 1 AS deaths FROM jobs
             WHERE state = 'running' AND (owner IS NULL OR owner NOT IN (SELECT id FROM instances))`,
          )
          .all() as Left[];
        for (const job of left) takeBack(db, job, now);
        return left.length;
      }),
    leave: (now) =>
      write(db, () => {
        const left = db
          .prepare("SELECT id, key, deaths FROM jobs WHERE state = 'running' AND owner = ?")
          .all(instance) as Left[];
        for (const job of left) takeBack(db, job, now);
        db.prepare("DELETE FROM instances WHERE id = ?").run(instance);
        return left.length;
      }),
  };
}

interface Left {
  readonly id: number;
  readonly key: string;
  readonly deaths: number;
}

function takeBack(db: Database.Database, { id, key, deaths }: Left, now: number): void {
  const end = (state: "dead" | "superseded", why: string) =>
    db
      .prepare("UPDATE jobs SET state = ?, owner = NULL, outcome = ?, finished_at = ? WHERE id = ?")
      .run(state, why, now, id);
  const isOvertaken = db.prepare("SELECT 1 FROM jobs WHERE key = ? AND state = 'waiting'").get(key) !== undefined;
  if (isOvertaken) end("superseded", "a later job took its place when the process ended");
  else if (deaths >= MOST_DEATHS) end("dead", `parked: ${deaths} processes died while this job ran`);
  else
    db.prepare("UPDATE jobs SET state = 'waiting', owner = NULL, run_at = ?, deaths = ? WHERE id = ?").run(
      now,
      deaths,
      id,
    );
}
