// What people said against findings, beside the records: it goes with them.
import type { PastRejections, Rejecting } from "../../ports/rejections.ts";
import { MOST_REJECTED, type RejectedRow, rejectedMemories } from "../memory/rejected-rows.ts";
import { recordIds, repositoryId } from "./repository-row.ts";
import type { Postgres } from "./sql.ts";

/** Over an open database. */
export function postgresRejections(db: Postgres): PastRejections & Rejecting {
  const idOf = async (repo: string, memoryId: string) => (await recordIds(db, repo, [memoryId])).get(memoryId) ?? null;
  return {
    async rejected(repo) {
      const rows = await db.all<RejectedRow>(REJECTED, [await repositoryId(db, repo), MOST_REJECTED]);
      return rejectedMemories(rows);
    },
    async reject(repo, memoryId, { by, isWriter, reason, url, at }) {
      const id = await idOf(repo, memoryId);
      if (id === null) return false;
      await db.run(
        `INSERT INTO rejections (id, by, is_writer, reason, url, at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (id, by) DO UPDATE SET is_writer = excluded.is_writer, reason = excluded.reason, url = excluded.url,
           at = excluded.at`,
        [id, by, isWriter, reason, url, at],
      );
      return true;
    },
    async restore(repo, memoryId) {
      const id = await idOf(repo, memoryId);
      return db.transaction(async (sql) => {
        const heard = await sql.run("DELETE FROM against WHERE id = $1", [id]);
        return heard + (await sql.run("DELETE FROM rejections WHERE id = $1", [id]));
      });
    },
  };
}

/** Of one person's words, reactions and commands about a finding, the one that says most. */
const REJECTED = `
  SELECT r.mem, r.pull, r.path, r.category, f.rule, c.url AS "foundAt", j.by, j.is_writer, j.reason, j.url, j.at, j.is_reaction
  FROM (
    SELECT id, by, is_writer, reason, url, at, is_reaction,
      row_number() OVER (PARTITION BY id, by ORDER BY reason IS NULL, is_reaction, at DESC) AS place
    FROM (
      SELECT id, by, is_writer, reason, url, at, false AS is_reaction FROM rejections
      UNION ALL SELECT id, by, true, reason, url, at, is_reaction FROM against) each_of
    WHERE id IN (SELECT id FROM records WHERE repo = $1 AND corpus = 'finding')) j
  JOIN records r ON r.id = j.id JOIN contents c ON c.id = r.id LEFT JOIN flagged f ON f.id = r.id
  WHERE r.repo = $1 AND j.place = 1 ORDER BY j.at DESC, j.id, j.by LIMIT $2`;
