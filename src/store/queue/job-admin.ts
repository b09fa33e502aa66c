// Lists, retries and drops jobs for an operator, also while servers work on them.

import type { JobAdmin, JobChange, KeptJob } from "../../ports/jobs.ts";
import type { LaneName } from "../../ports.ts";
import type { Database, Sql } from "../sql.ts";
import { oneValue } from "../statement.ts";
import { lockKeys } from "./coordination.ts";
import { readJob } from "./read-job.ts";

interface Row extends Omit<KeptJob, "job" | "lane" | "dueInMs" | "ageMs"> {
  readonly key: string;
  readonly lane: LaneName;
  readonly repo: string;
  readonly account: string;
  readonly job: string;
  readonly runAt: number;
  readonly createdAt: number;
  readonly now: number;
}

const CHANGED: JobChange = { kind: "changed" };

/** Over an open database (see QUEUE_PART). Throws `Transient` when it cannot be asked now. */
export function storedJobAdmin(db: Database): JobAdmin {
  return {
    async list(states, most) {
      const wanted = db.dialect.among("state", "$1", "text");
      const rows = await db.all<Row>(`${select(db)} WHERE ${wanted} ORDER BY id DESC LIMIT $2`, [states, most]);
      return rows.map(keptOf);
    },
    async find(id) {
      const row = await db.one<Row>(`${select(db)} WHERE id = $1`, [id]);
      return row === null ? null : keptOf(row);
    },
    retry: (id) => change(db, id, retry),
    drop: (id, reason) => change(db, id, (tx, found) => drop(tx, found, reason)),
  };
}

const select = (sql: Sql) => `SELECT id, key, lane, repo, account, state, job, attempt, deaths, run_at AS "runAt",
  created_at AS "createdAt", outcome, ${sql.dialect.now} AS now FROM jobs`;

function change(db: Database, id: number, work: (tx: Sql, found: Row) => Promise<JobChange>): Promise<JobChange> {
  return db.transaction(async (tx) => {
    const key = await oneValue<string>(tx, "SELECT key FROM jobs WHERE id = $1", [id]);
    if (key !== null) await lockKeys(tx, [key]);
    // A lease locks the row, not the key.
    const found = await tx.one<Row>(`${select(tx)} WHERE id = $1${tx.dialect.forUpdate}`, [id]);
    return found === null ? refused("there is no such job") : work(tx, found);
  });
}

async function retry(tx: Sql, found: Row): Promise<JobChange> {
  const { id, key, state } = found;
  if (state === "running") return refused("it is running");
  const other = "SELECT 1 AS open FROM jobs WHERE key = $1 AND id <> $2 AND state IN ('waiting', 'running')";
  if ((await tx.one(other, [key, id])) !== null)
    return refused("a later job of the same pull request or repository waits or runs");
  await tx.run(
    `UPDATE jobs SET state = 'waiting', attempt = 0, deaths = 0, overruns = 0, run_at = ${tx.dialect.now}, owner = NULL,
       finished_at = NULL WHERE id = $1`,
    [id],
  );
  return CHANGED;
}

async function drop(tx: Sql, { id, state, outcome }: Row, reason: string): Promise<JobChange> {
  if (state === "running") return refused("it is running; `/kodiai stop` on its pull request stops it");
  if (state !== "waiting" && state !== "parked") return refused(`it is over: ${state}`);
  const why = outcome === null ? reason : `${reason}; before: ${outcome}`;
  const end = `UPDATE jobs SET state = 'cancelled', outcome = $2, finished_at = ${tx.dialect.now} WHERE id = $1`;
  await tx.run(end, [id, why]);
  return CHANGED;
}

function refused(reason: string): JobChange {
  return { kind: "refused", reason };
}

function keptOf({ key: _, repo: __, account: ___, runAt, createdAt, now, job, ...rest }: Row): KeptJob {
  return {
    ...rest,
    job: readJob(job),
    dueInMs: rest.state === "waiting" ? Math.max(0, runAt - now) : null,
    ageMs: Math.max(0, now - createdAt),
  };
}
