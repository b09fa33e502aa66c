// What people said against findings, and the code that findings were about, beside the records in memory.db: they go with them.
import { type Flagged, shapeKey } from "../../domain/flagged.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { RejectedMemory, Rejection } from "../../domain/rejections.ts";
import type { FlaggedCode, PastCode, PastRejections, Rejecting } from "../../ports/rejections.ts";
import { asFlagged, bytesOf, FLAGGED_COLUMNS, type FlaggedRow, MOST_FLAGGED } from "../memory/flagged-row.ts";
import { MOST_REJECTED, type RejectedRow, rejectedMemories } from "../memory/rejected-rows.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { type Database, write } from "./database.ts";

/** Keys that one statement is given. */
const KEYS_EACH = 20_000;

/** Over an open memory (see openMemory). Throws `Transient` on a lock. */
export function sqliteRejections(db: Database.Database): PastRejections & Rejecting {
  return {
    rejected: async (repo) => rejected(db, repo),
    reject: async (repo, memoryId, rejection) => write(db, () => rejectMemory(db, repo, memoryId, rejection)),
    restore: async (repo, memoryId) =>
      write(db, () => {
        const id = recordId(db, repo, memoryId);
        if (id === null) return 0;
        const heard = db.prepare("DELETE FROM against WHERE id = ?").run(id).changes;
        return heard + db.prepare("DELETE FROM rejections WHERE id = ?").run(id).changes;
      }),
  };
}

/** Over an open memory (see openMemory). Throws `Transient` on a lock. */
export function sqliteFlaggedCode(db: Database.Database): PastCode & FlaggedCode {
  return {
    flagged: async (repo, keys, exceptPull) => flaggedRows(db, repo, keys, exceptPull),
    keep: async (repo, now, at) => write(db, () => keepFlagged(db, repo, now, at)),
  };
}

function recordId(db: Database.Database, repo: RepoKey, memoryId: string): number | null {
  const key = splitRepoKey(repo);
  const id = db
    .prepare(
      `SELECT r.id FROM records r JOIN repositories p ON p.id = r.repo
       WHERE r.mem = ? AND p.host = ? AND p.github_id = ?`,
    )
    .pluck()
    .get(memoryId, key?.host ?? "", key?.githubId ?? "") as number | undefined;
  return id ?? null;
}

function repositoryId(db: Database.Database, repo: RepoKey): number | null {
  const key = splitRepoKey(repo);
  const id = db
    .prepare("SELECT id FROM repositories WHERE host = ? AND github_id = ?")
    .pluck()
    .get(key?.host ?? "", key?.githubId ?? "") as number | undefined;
  return id ?? null;
}

function rejectMemory(db: Database.Database, repo: RepoKey, memoryId: string, rejection: Rejection): boolean {
  const id = recordId(db, repo, memoryId);
  if (id === null) return false;
  const { by, isWriter, reason, url, at } = rejection;
  db.prepare("INSERT OR REPLACE INTO rejections (id, by, is_writer, reason, url, at) VALUES (?,?,?,?,?,?)").run(
    ...[id, by, isWriter ? 1 : 0, reason, url, at],
  );
  return true;
}

/** Of one person's words, reactions and commands about a finding, the one that says most. */
const EACH = `
  SELECT id, by, is_writer, reason, url, at, is_reaction,
    row_number() OVER (PARTITION BY id, by ORDER BY reason IS NULL, is_reaction, at DESC) AS place
  FROM (
    SELECT id, by, is_writer, reason, url, at, 0 AS is_reaction FROM rejections
    UNION ALL SELECT id, by, 1, reason, url, at, is_reaction FROM against)
  WHERE id IN (SELECT id FROM records WHERE repo = @repo AND corpus = 'finding')`;

function rejected(db: Database.Database, repo: RepoKey): RejectedMemory[] {
  const repoId = repositoryId(db, repo);
  if (repoId === null) return [];
  const rows = db
    .prepare(
      `SELECT r.mem, r.pull, r.path, r.category, f.rule, c.url AS foundAt, j.by, j.is_writer, j.reason, j.url, j.at,
              j.is_reaction
       FROM (${EACH}) j JOIN records r ON r.id = j.id JOIN contents c ON c.id = r.id LEFT JOIN flagged f ON f.id = r.id
       WHERE r.repo = @repo AND j.place = 1 ORDER BY j.at DESC, j.id, j.by LIMIT @most`,
    )
    .all({ repo: repoId, most: MOST_REJECTED }) as RejectedRow[];
  return rejectedMemories(rows);
}

function flaggedRows(db: Database.Database, repo: RepoKey, keys: readonly number[], exceptPull: number): Flagged[] {
  const repoId = repositoryId(db, repo);
  if (repoId === null) return [];
  const read = db.prepare(
    `SELECT f.id, ${FLAGGED_COLUMNS}
     FROM flagged f JOIN records r ON r.id = f.id JOIN contents c ON c.id = f.id
     WHERE f.repo = ? AND f.key IN (SELECT value FROM json_each(?)) AND r.pull <> ?
       AND r.path IS NOT NULL AND r.category IS NOT NULL AND r.severity IS NOT NULL
     ORDER BY r.at DESC, f.id LIMIT ?`,
  );
  const rows: (FlaggedRow & { readonly id: number })[] = [];
  for (let from = 0; from < keys.length; from += KEYS_EACH) {
    const some = JSON.stringify(keys.slice(from, from + KEYS_EACH));
    rows.push(...(read.all(repoId, some, exceptPull, MOST_FLAGGED) as typeof rows));
  }
  return rows
    .sort((a, b) => b.said_at - a.said_at || a.id - b.id)
    .slice(0, MOST_FLAGGED)
    .map(asFlagged);
}

function keepFlagged(
  db: Database.Database,
  repo: RepoKey,
  { said, standing, fixed }: Parameters<FlaggedCode["keep"]>[1],
  at: number,
): void {
  const repoId = repositoryId(db, repo);
  if (repoId === null) return;
  const find = db.prepare("SELECT id FROM records WHERE mem = ? AND repo = ?").pluck();
  const insert = db.prepare(
    `INSERT INTO flagged (id, repo, key, rule, before, at, after) VALUES (?,?,?,?,?,?,?)
     ON CONFLICT (id) DO UPDATE SET key = excluded.key, rule = excluded.rule, before = excluded.before,
       at = excluded.at, after = excluded.after`,
  );
  for (const { memoryId, rule, shape } of said) {
    const [id, key] = [find.get(memoryId, repoId) as number | undefined, shapeKey(shape)];
    if (id === undefined || key === null) continue;
    insert.run(id, repoId, key, rule, bytesOf(shape.before), bytesOf(shape.at), bytesOf(shape.after));
  }
  const mark = db.prepare("UPDATE flagged SET fixed_at = ? WHERE id = ? AND (fixed_at IS NULL) = ?");
  for (const memoryId of standing) mark.run(null, find.get(memoryId, repoId) ?? null, 0);
  for (const memoryId of fixed) mark.run(at, find.get(memoryId, repoId) ?? null, 1);
}
