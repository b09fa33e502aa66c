// Check runs, each of which ends even if its review fails; the debounce time of pushes.
import { failPoint } from "../../adapters/fail-point.ts";
import type { Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import { type CheckEnd, type Conclusion, LEFT_MS } from "../../domain/review.ts";
import type { BegunCheck, CheckStore, KeptCheck, PushWaits, Verdict } from "../../ports/checks.ts";
import type { Post, Wanted } from "../../ports/writes.ts";
import type { Held } from "../../ports.ts";
import { fenced } from "../queue/lease-fence.ts";
import type { Database } from "../sql.ts";
import { oneValue, upsert } from "../statement.ts";

interface Row extends Omit<BegunCheck, "repo"> {
  readonly repo: string;
  readonly conclusion: Conclusion | null;
  readonly verdict: Conclusion | null;
  readonly ending: string | null;
  readonly endedAt: number | null;
  readonly begunAt: number;
  readonly hasJob: number;
}

const SELECT = `SELECT id, key, head_sha AS "headSha", repo, installation_id AS "installationId", fail_on AS "failOn", ending,
  base_ref AS "baseRef", conclusion, verdict,
  ended_at AS "endedAt", begun_at AS "begunAt",
  CASE WHEN EXISTS (SELECT 1 FROM jobs WHERE jobs.key = check_runs.key AND jobs.state IN ('waiting', 'running'))
    THEN 1 ELSE 0 END AS "hasJob"
  FROM check_runs`;

/** May throw `Transient`; writes of a job (`held`) throw LeaseLost once it is no longer held. */
export function storedChecks(db: Database, held: Held | null = null): CheckStore {
  const write = async (text: string, values: readonly unknown[]): Promise<void> => {
    await fenced(db, held, (tx) => tx.run(text, values));
  };
  /** Newest first: GitHub counts its numbers up. */
  const onHead = async (repo: Pick<Repo, "host" | "id">, headSha: string): Promise<readonly Row[]> => {
    const rows = await db.all<Row>(`${SELECT} WHERE head_sha = $1 ORDER BY id DESC`, [headSha]);
    return rows.filter(({ key }) => key.startsWith(`${repoKey(repo)}#`));
  };
  return {
    async begun({ id, key, headSha, baseRef, repo, installationId, failOn }, now) {
      const place = { id, key, head_sha: headSha, base_ref: baseRef, repo: JSON.stringify(repo) };
      const begun = { installation_id: installationId, fail_on: failOn, begun_at: Math.ceil(now) };
      const row = { ...place, ...begun, ending: null, ended_at: null, conclusion: null };
      // A check run that is begun again may have the same id on GitHub.
      await fenced(db, held, (tx) => upsert(tx, "check_runs", ["id"], row));
      failPoint("after-begun");
    },
    async on(key, headSha) {
      const newest = `${SELECT} WHERE key = $1 AND head_sha = $2 ORDER BY begun_at DESC, id DESC LIMIT 1`;
      const row = await db.one<Row>(newest, [key, headSha]);
      return row === null ? null : keptCheck(row);
    },
    open: async (key) =>
      (await db.all<Row>(`${SELECT} WHERE key = $1 AND ended_at IS NULL ORDER BY begun_at, id`, [key])).map(keptCheck),
    newest: async (repo, headSha) => {
      const [row] = await onHead(repo, headSha);
      return row === undefined ? null : keptCheck(row);
    },
    async verdicts(repo, headSha) {
      const newest = new Map<string, Verdict>();
      for (const { key, baseRef, verdict } of await onHead(repo, headSha)) {
        const of = JSON.stringify([key, baseRef]);
        if (verdict !== null && !newest.has(of)) newest.set(of, { key, baseRef, conclusion: verdict });
      }
      return [...newest.values()];
    },
    judge: (id, verdict) => write("UPDATE check_runs SET verdict = $2 WHERE id = $1", [id, verdict]),
    decide: (id, end) =>
      write("UPDATE check_runs SET ending = $2, conclusion = $3 WHERE id = $1", [
        id,
        JSON.stringify(end),
        end.conclusion,
      ]),
    ended: (id, now) => write("UPDATE check_runs SET ended_at = $2, ending = NULL WHERE id = $1", [id, Math.ceil(now)]),
    async left(now, patienceMs) {
      await adoptUnrecorded(db);
      const rows = await db.all<Row>(`${SELECT} WHERE ended_at IS NULL ORDER BY begun_at, id`);
      const late = Math.floor(now - patienceMs);
      return rows
        .filter(({ hasJob, begunAt }) => begunAt > now - LEFT_MS && (hasJob === 0 || begunAt <= late))
        .map((row) => ({ ...keptCheck(row), why: row.hasJob === 1 ? "late" : "no-job" }));
    },
  };
}

function keptCheck({ repo, ending, endedAt, begunAt: _, hasJob: __, verdict: ___, ...row }: Row): KeptCheck {
  const end = ending === null ? null : (JSON.parse(ending) as CheckEnd);
  return { ...row, repo: JSON.parse(repo) as Repo, isOpen: endedAt === null, end };
}

/**
 * Records check runs that only the write log has: the response was lost, or the process crashed
 * before, and the job did not resume. Rows are kept longer than `LEFT_MS`: an ended check is not
 * adopted again.
 */
async function adoptUnrecorded(db: Database): Promise<void> {
  const created = await db.all<{ key: string; wanted: string; post: string; at: number }>(
    `SELECT key, wanted, post, ended_at AS at FROM intents
     WHERE state = 'posted' AND ended_at > ${db.dialect.now} - CAST($1 AS bigint) AND identity LIKE '% check %'
       AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.key = intents.key AND jobs.state IN ('waiting', 'running'))`,
    [LEFT_MS],
  );
  const found = created.map((row) => ({ ...row, id: (JSON.parse(row.post) as Post).id }));
  const among = db.dialect.among("id", "$1", "int");
  const known = await db.all<{ id: number }>(`SELECT id FROM check_runs WHERE ${among}`, [found.map(({ id }) => id)]);
  const recorded = new Set(known.map(({ id }) => id));
  const checks = storedChecks(db);
  for (const { id, key, wanted, at } of found.filter((one) => !recorded.has(one.id))) {
    const { repo, installationId, headSha } = JSON.parse(wanted) as Wanted;
    // Its `failOn` is unknown: by the strictest a required check does not pass without a review.
    await checks.begun({ id, key, repo, installationId, headSha, baseRef: "", failOn: "minor" }, at);
  }
}

/** From each repository's last review: when a push arrives, the configuration is not read yet. */
export function storedPushWaits(db: Database): PushWaits {
  return {
    of: (repo) => oneValue<number>(db, "SELECT ms FROM push_waits WHERE repo = $1", [repoKey(repo)]),
    learn: (repo, ms) => upsert(db, "push_waits", ["repo"], { repo: repoKey(repo), ms }),
  };
}
