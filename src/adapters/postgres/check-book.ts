// Check runs beside the queue: whatever happens to a review, its check run comes to an end.
import type { CheckBook } from "../../ports/checks.ts";
import type { Held } from "../../ports.ts";
import { type CheckRow, keptCheck, UNWRITTEN_MS, type UnwrittenRow, unwrittenCheck } from "../check-row.ts";
import { failPoint } from "../fail-point.ts";
import { fenced } from "./hold.ts";
import type { Postgres } from "./sql.ts";

interface Row extends CheckRow {
  readonly begunAt: number;
  readonly hasJob: boolean;
}

const SELECT = `SELECT id, key, head_sha AS "headSha", repo, installation_id AS "installationId", fail_on AS "failOn", ending,
  ended_at AS "endedAt", begun_at AS "begunAt",
  EXISTS (SELECT 1 FROM jobs WHERE jobs.key = check_runs.key AND jobs.state IN ('waiting', 'running')) AS "hasJob"
  FROM check_runs`;

/** GitHub may give a check run that is begun again the same id. */
const BEGIN = `INSERT INTO check_runs (id, key, head_sha, repo, installation_id, fail_on, begun_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (id) DO UPDATE SET key = excluded.key, head_sha = excluded.head_sha, repo = excluded.repo,
    installation_id = excluded.installation_id, fail_on = excluded.fail_on, begun = excluded.begun,
    begun_at = excluded.begun_at, ending = NULL, ended_at = NULL`;

/**
 * The book over an open database (see BOOK_PART). What writes throws `Transient` when it cannot be asked, and LeaseLost once the
 * job is not held any more.
 *
 * @param held the job that writes; null where none stands behind it
 */
export function postgresCheckBook(db: Postgres, held: Held | null = null): CheckBook {
  const write = async (text: string, values: readonly unknown[]): Promise<void> => {
    await fenced(db, held, (sql) => sql.run(text, values));
  };
  return {
    async begun({ id, key, headSha, repo, installationId, failOn }, now) {
      await write(BEGIN, [id, key, headSha, JSON.stringify(repo), installationId, failOn, Math.ceil(now)]);
      failPoint("after-begun");
    },
    async on(key, headSha) {
      const row = await db.one<Row>(
        `${SELECT} WHERE key = $1 AND head_sha = $2 ORDER BY begun_at DESC, begun DESC LIMIT 1`,
        [key, headSha],
      );
      return row === null ? null : keptCheck(row);
    },
    open: async (key) =>
      (await db.all<Row>(`${SELECT} WHERE key = $1 AND ended_at IS NULL ORDER BY begun`, [key])).map(keptCheck),
    decide: (id, end) => write("UPDATE check_runs SET ending = $2 WHERE id = $1", [id, JSON.stringify(end)]),
    ended: (id, now) => write("UPDATE check_runs SET ended_at = $2, ending = NULL WHERE id = $1", [id, Math.ceil(now)]),
    async left(now, patienceMs) {
      await adoptUnwritten(db);
      const rows = await db.all<Row>(`${SELECT} WHERE ended_at IS NULL ORDER BY begun`);
      const late = Math.floor(now - patienceMs);
      return rows
        .filter(({ hasJob, begunAt }) => !hasJob || begunAt <= late)
        .map((row) => ({ ...keptCheck(row), why: row.hasJob ? "late" : "no-job" }));
    },
  };
}

/** The book of writes knows those that this one does not. Its times are the database's. */
async function adoptUnwritten(db: Postgres): Promise<void> {
  const unwritten = await db.all<UnwrittenRow>(
    `SELECT key, wanted, post, ended_at AS "endedAt" FROM intents
     WHERE state = 'posted' AND ended_at > queue_now() - $1::bigint AND wanted::json ->> 'kind' = 'check'
       AND NOT EXISTS (SELECT 1 FROM check_runs WHERE check_runs.id = (intents.post::json ->> 'id')::bigint)
       AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.key = intents.key AND jobs.state IN ('waiting', 'running'))`,
    [UNWRITTEN_MS],
  );
  const book = postgresCheckBook(db);
  for (const row of unwritten) await book.begun(unwrittenCheck(row), row.endedAt);
}
