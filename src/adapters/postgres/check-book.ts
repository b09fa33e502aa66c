// Check runs beside the queue: whatever happens to a review, its check run comes to an end.
import type { CheckEnd } from "../../domain/check.ts";
import type { CheckBook, KeptCheck } from "../../ports/checks.ts";
import type { Held } from "../../ports.ts";
import { failPoint } from "../fail-point.ts";
import { fenced } from "./hold.ts";
import type { Postgres } from "./sql.ts";

interface Row {
  readonly id: number;
  readonly key: string;
  readonly headSha: string;
  readonly repo: string;
  readonly installationId: number;
  readonly failOn: KeptCheck["failOn"];
  readonly ending: string | null;
  readonly endedAt: number | null;
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
      return row === null ? null : keptOf(row);
    },
    open: async (key) =>
      (await db.all<Row>(`${SELECT} WHERE key = $1 AND ended_at IS NULL ORDER BY begun`, [key])).map(keptOf),
    decide: (id, end) => write("UPDATE check_runs SET ending = $2 WHERE id = $1", [id, JSON.stringify(end)]),
    ended: (id, now) => write("UPDATE check_runs SET ended_at = $2, ending = NULL WHERE id = $1", [id, Math.ceil(now)]),
    async left(now, patienceMs) {
      const rows = await db.all<Row>(`${SELECT} WHERE ended_at IS NULL ORDER BY begun`);
      const late = Math.floor(now - patienceMs);
      return rows
        .filter(({ hasJob, begunAt }) => !hasJob || begunAt <= late)
        .map((row) => ({ ...keptOf(row), why: row.hasJob ? "late" : "no-job" }));
    },
  };
}

function keptOf({ repo, ending, endedAt, id, key, headSha, installationId, failOn }: Row): KeptCheck {
  return {
    ...{ id, key, headSha, installationId, failOn },
    repo: JSON.parse(repo) as KeptCheck["repo"],
    isOpen: endedAt === null,
    end: ending === null ? null : (JSON.parse(ending) as CheckEnd),
  };
}
