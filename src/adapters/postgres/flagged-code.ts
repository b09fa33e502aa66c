// The code that findings were about, as hashes of its tokens, beside the records: it goes with them.
import { shapeKey } from "../../domain/flagged.ts";
import type { FlaggedCode, PastCode } from "../../ports/rejections.ts";
import { asFlagged, bytesOf, FLAGGED_COLUMNS, type FlaggedRow, MOST_FLAGGED } from "../memory/flagged-row.ts";
import { repositoryId } from "./repository-row.ts";
import type { Postgres, Sql } from "./sql.ts";

/** Over an open database. */
export function postgresFlaggedCode(db: Postgres): PastCode & FlaggedCode {
  return {
    async flagged(repo, keys, exceptPull) {
      const rows = await db.all<FlaggedRow>(
        `SELECT ${FLAGGED_COLUMNS}
         FROM flagged f JOIN records r ON r.id = f.id JOIN contents c ON c.id = f.id
         WHERE f.repo = $1 AND f.key = ANY ($2::bigint[]) AND r.pull <> $3
           AND r.path IS NOT NULL AND r.category IS NOT NULL AND r.severity IS NOT NULL
         ORDER BY r.at DESC, f.id LIMIT $4`,
        [await repositoryId(db, repo), keys, exceptPull, MOST_FLAGGED],
      );
      return rows.map(asFlagged);
    },
    keep: (repo, now, at) =>
      db.transaction(async (sql) => {
        const id = await repositoryId(sql, repo);
        if (id !== null) await keepFlagged(sql, id, now, at);
      }),
  };
}

async function keepFlagged(
  sql: Sql,
  repo: number,
  { said, standing, fixed }: Parameters<FlaggedCode["keep"]>[1],
  at: number,
): Promise<void> {
  for (const { memoryId, rule, shape } of said) {
    const key = shapeKey(shape);
    if (key === null) continue;
    await sql.run(
      `INSERT INTO flagged (id, repo, key, rule, before, at, after)
       SELECT id, repo, $3, $4, $5, $6, $7 FROM records WHERE mem = $1 AND repo = $2
       ON CONFLICT (id) DO UPDATE SET key = excluded.key, rule = excluded.rule, before = excluded.before,
         at = excluded.at, after = excluded.after`,
      [memoryId, repo, key, rule, bytesOf(shape.before), bytesOf(shape.at), bytesOf(shape.after)],
    );
  }
  const mark = (to: number | null, memoryIds: readonly string[]) =>
    sql.run(
      `UPDATE flagged SET fixed_at = $1 WHERE (fixed_at IS NULL) = ($1::bigint IS NOT NULL)
         AND id IN (SELECT id FROM records WHERE repo = $2 AND mem = ANY ($3::text[]))`,
      [to, repo, memoryIds],
    );
  await mark(null, standing);
  await mark(at, fixed);
}
