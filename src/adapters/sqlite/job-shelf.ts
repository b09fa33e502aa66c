// Jobs as an operator sees and moves them, beside servers that work on them.
import type { JobChange, JobShelf, JobState, KeptJob } from "../../ports/jobs.ts";
import { type Database, write } from "./database.ts";

interface Row {
  readonly id: number;
  readonly key: string;
  readonly lane: string;
  readonly state: JobState;
  readonly job: string;
  readonly attempt: number;
  readonly deaths: number;
  readonly runAt: number;
  readonly createdAt: number;
  readonly outcome: string | null;
}

const SELECT = `SELECT id, key, lane, state, job, attempt, deaths, run_at AS runAt, created_at AS createdAt, outcome
  FROM jobs`;
const CHANGED: JobChange = { kind: "changed" };

/**
 * The jobs of an open queue database (see QUEUE_MIGRATIONS). What writes throws `Transient` on a lock.
 *
 * @param now see steadyClock
 */
export function sqliteJobShelf(db: Database.Database, now: () => number): JobShelf {
  const row = (id: number) => db.prepare(`${SELECT} WHERE id = ?`).get(id) as Row | undefined;
  const isOpen = db.prepare("SELECT 1 FROM jobs WHERE key = ? AND id <> ? AND state IN ('waiting', 'running')");
  return {
    list: async (states, most) =>
      (
        db
          .prepare(`${SELECT} WHERE state IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?`)
          .all(JSON.stringify(states), most) as Row[]
      ).map((one) => keptOf(one, now())),
    async find(id) {
      const found = row(id);
      return found === undefined ? null : keptOf(found, now());
    },
    retry: async (id) =>
      write(db, () => {
        const found = row(id);
        if (found === undefined) return refused("there is no such job");
        if (found.state === "running") return refused("it is running");
        if (isOpen.get(found.key, id) !== undefined)
          return refused("a later job of the same pull request or repository waits or runs");
        db.prepare(
          `UPDATE jobs SET state = 'waiting', attempt = 0, deaths = 0, alone = 0, run_at = ?, owner = NULL, finished_at = NULL
           WHERE id = ?`,
        ).run(now(), id);
        return CHANGED;
      }),
    drop: async (id, reason) =>
      write(db, () => {
        const found = row(id);
        if (found === undefined) return refused("there is no such job");
        const obstacle = dropObstacle(found);
        if (obstacle !== null) return refused(obstacle);
        db.prepare("UPDATE jobs SET state = 'cancelled', outcome = ?, finished_at = ? WHERE id = ?").run(
          ...[found.outcome === null ? reason : `${reason}; before: ${found.outcome}`, now(), id],
        );
        return CHANGED;
      }),
  };
}

function dropObstacle({ state }: Row): string | null {
  if (state === "running") return "it is running; `/kodiai stop` on its pull request stops it";
  return state === "waiting" || state === "dead" ? null : `it is over: ${state}`;
}

function refused(reason: string): JobChange {
  return { kind: "refused", reason };
}

function keptOf({ key: _, runAt, createdAt, job, ...row }: Row, now: number): KeptJob {
  return {
    ...row,
    job: JSON.parse(job) as KeptJob["job"],
    dueInMs: row.state === "waiting" ? Math.max(0, runAt - now) : null,
    ageMs: Math.max(0, now - createdAt),
  };
}
