// Check runs beside the queue, in the same file: whatever happens to a review, its check run comes to an end.
import type { Database } from "better-sqlite3";
import type { CheckBook } from "../../ports/checks.ts";
import type { Held } from "../../ports.ts";
import { type CheckRow, keptCheck, UNWRITTEN_MS, type UnwrittenRow, unwrittenCheck } from "../check-row.ts";
import { failPoint } from "../fail-point.ts";
import { fenced } from "./hold.ts";

interface Row extends CheckRow {
  readonly hasJob: 0 | 1;
}

const SELECT = `SELECT id, key, head_sha AS headSha, repo, installation_id AS installationId, fail_on AS failOn, ending,
  ended_at AS endedAt,
  EXISTS (SELECT 1 FROM jobs WHERE jobs.key = check_runs.key AND jobs.state IN ('waiting', 'running')) AS hasJob
  FROM check_runs`;

/**
 * The book over an open queue database (see QUEUE_MIGRATIONS). What writes throws `Transient` on a lock, and LeaseLost once the job
 * is not held any more.
 *
 * @param held the job that writes; null where none stands behind it
 */
export function sqliteCheckBook(db: Database, held: Held | null = null): CheckBook {
  return {
    async begun(check, now) {
      const { id, key, headSha, repo, installationId, failOn } = check;
      const insert = `INSERT OR REPLACE INTO check_runs (id, key, head_sha, repo, installation_id, fail_on, begun_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`;
      fenced(db, held, () =>
        db.prepare(insert).run(id, key, headSha, JSON.stringify(repo), installationId, failOn, Math.ceil(now)),
      );
      failPoint("after-begun");
    },
    async on(key, headSha) {
      const row = db
        .prepare(`${SELECT} WHERE key = ? AND head_sha = ? ORDER BY begun_at DESC, rowid DESC LIMIT 1`)
        .get(key, headSha) as Row | undefined;
      return row === undefined ? null : keptCheck(row);
    },
    open: async (key) => (db.prepare(`${SELECT} WHERE key = ? AND ended_at IS NULL`).all(key) as Row[]).map(keptCheck),
    async decide(id, end) {
      fenced(db, held, () => db.prepare("UPDATE check_runs SET ending = ? WHERE id = ?").run(JSON.stringify(end), id));
    },
    async ended(id, now) {
      fenced(db, held, () =>
        db.prepare("UPDATE check_runs SET ended_at = ?, ending = NULL WHERE id = ?").run(Math.ceil(now), id),
      );
    },
    async left(now, patienceMs) {
      await adoptUnwritten(db, now);
      const rows = db.prepare(`${SELECT} WHERE ended_at IS NULL`).all() as Row[];
      const late = db
        .prepare("SELECT id FROM check_runs WHERE ended_at IS NULL AND begun_at <= ?")
        .pluck()
        .all(Math.floor(now - patienceMs)) as number[];
      return rows
        .filter((row) => row.hasJob === 0 || late.includes(row.id))
        .map((row) => ({ ...keptCheck(row), why: row.hasJob === 0 ? "no-job" : "late" }));
    },
  };
}

/** The book of writes knows those that this one does not. */
async function adoptUnwritten(db: Database, now: number): Promise<void> {
  const unwritten = db
    .prepare(
      `SELECT key, wanted, post, ended_at AS endedAt FROM intents
       WHERE state = 'posted' AND ended_at > ? AND json_extract(wanted, '$.kind') = 'check'
         AND NOT EXISTS (SELECT 1 FROM check_runs WHERE check_runs.id = json_extract(intents.post, '$.id'))
         AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.key = intents.key AND jobs.state IN ('waiting', 'running'))`,
    )
    .all(now - UNWRITTEN_MS) as UnwrittenRow[];
  const book = sqliteCheckBook(db);
  for (const row of unwritten) await book.begun(unwrittenCheck(row), row.endedAt);
}
