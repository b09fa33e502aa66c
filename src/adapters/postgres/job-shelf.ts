// Jobs as an operator sees and moves them, beside servers that work on them.
import type { JobChange, JobShelf, KeptJob } from "../../ports/jobs.ts";
import { lockKeys, nextTag } from "./put-job.ts";
import type { Postgres, Sql } from "./sql.ts";

interface Row extends Omit<KeptJob, "job" | "dueInMs" | "ageMs"> {
  readonly key: string;
  readonly job: string;
  readonly runAt: number;
  readonly createdAt: number;
  readonly now: number;
}

const SELECT = `SELECT id, key, lane, state, job, attempt, deaths, run_at AS "runAt", created_at AS "createdAt", outcome,
  queue_now() AS now FROM jobs`;
const CHANGED: JobChange = { kind: "changed" };

/**
 * The jobs of an open database (see QUEUE_PART). Needs no pg-boss: what is to run again has no ticket, and a server's next
 * beat gives it one.
 */
export function postgresJobShelf(db: Postgres): JobShelf {
  return {
    list: async (states, most) =>
      (await db.all<Row>(`${SELECT} WHERE state = ANY($1) ORDER BY id DESC LIMIT $2`, [states, most])).map(keptOf),
    async find(id) {
      const found = await row(db, id);
      return found === null ? null : keptOf(found);
    },
    retry: (id) => changed(db, id, retry),
    drop: (id, reason) => changed(db, id, (sql, found) => drop(sql, found, reason)),
  };
}

function row(sql: Sql, id: number): Promise<Row | null> {
  return sql.one<Row>(`${SELECT} WHERE id = $1`, [id]);
}

async function changed(
  db: Postgres,
  id: number,
  change: (sql: Sql, found: Row) => Promise<JobChange>,
): Promise<JobChange> {
  const before = await row(db, id);
  if (before === null) return refused("there is no such job");
  return db.transaction(async (sql) => {
    await lockKeys(sql, [before.key]);
    // A lease has no lock on the key: it locks the row.
    const found = await sql.one<Row>(`${SELECT} WHERE id = $1 FOR UPDATE`, [id]);
    return found === null ? refused("there is no such job") : change(sql, found);
  });
}

async function retry(sql: Sql, { id, key, state }: Row): Promise<JobChange> {
  if (state === "running") return refused("it is running");
  const other = "SELECT 1 FROM jobs WHERE key = $1 AND id <> $2 AND state IN ('waiting', 'running')";
  if ((await sql.one(other, [key, id])) !== null)
    return refused("a later job of the same pull request or repository waits or runs");
  await sql.run(
    `UPDATE jobs SET state = 'waiting', attempt = 0, deaths = 0, alone = 0, run_at = queue_now(), owner = NULL, finished_at = NULL,
       ticket = NULL, tag = ${nextTag("jobs.lane", "jobs.repo")} WHERE id = $1`,
    [id],
  );
  return CHANGED;
}

async function drop(sql: Sql, { id, state, outcome }: Row, reason: string): Promise<JobChange> {
  if (state === "running") return refused("it is running; `/kodiai stop` on its pull request stops it");
  if (state !== "waiting" && state !== "dead") return refused(`it is over: ${state}`);
  await sql.run(
    "UPDATE jobs SET state = 'cancelled', outcome = $2, finished_at = queue_now(), ticket = NULL WHERE id = $1",
    [id, outcome === null ? reason : `${reason}; before: ${outcome}`],
  );
  return CHANGED;
}

function refused(reason: string): JobChange {
  return { kind: "refused", reason };
}

function keptOf({ key: _, runAt, createdAt, now, job, ...rest }: Row): KeptJob {
  return {
    ...rest,
    job: JSON.parse(job) as KeptJob["job"],
    dueInMs: rest.state === "waiting" ? Math.max(0, runAt - now) : null,
    ageMs: Math.max(0, now - createdAt),
  };
}
