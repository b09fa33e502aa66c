// Records of progress summaries, so that each one ends even if its review fails.
import type { Repo } from "../../domain/job.ts";
import { LEFT_MS } from "../../domain/review.ts";
import type { ProgressNote, ProgressStore } from "../../ports/checks.ts";
import type { Held } from "../../ports.ts";
import { fenced } from "../queue/lease-fence.ts";
import type { Database } from "../sql.ts";
import { upsert } from "../statement.ts";

/**
 * May throw `Transient`; writes throw LeaseLost when the job is no longer held.
 *
 * @param held the writing job; null without one
 */
export function storedProgress(db: Database, held: Held | null = null): ProgressStore {
  return {
    begun({ key, repo, number, installationId }) {
      const row = { key, repo: JSON.stringify(repo), number, installation_id: installationId };
      return fenced(db, held, (tx) => upsert(tx, "progress_notes", ["key"], row));
    },
    isOpen: async (key) => (await db.one("SELECT key FROM progress_notes WHERE key = $1", [key])) !== null,
    async ended(key) {
      await fenced(db, held, (tx) => tx.run("DELETE FROM progress_notes WHERE key = $1", [key]));
    },
    async left() {
      const rows = await db.all<Omit<ProgressNote, "repo"> & { readonly repo: string }>(
        `SELECT key, repo, number, installation_id AS "installationId" FROM progress_notes
         WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.key = progress_notes.key AND jobs.state IN ('waiting', 'running'))
           AND EXISTS (SELECT 1 FROM jobs WHERE jobs.key = progress_notes.key
             AND jobs.finished_at > ${db.dialect.now} - CAST($1 AS bigint))
         ORDER BY key`,
        [LEFT_MS],
      );
      return rows.map((row) => ({ ...row, repo: JSON.parse(row.repo) as Repo }));
    },
  };
}
