// What people said against findings, and the code that findings were about, beside the records in memory.db: they go with them.
import type { CodeShape } from "../../domain/code-shape.ts";
import type { Category, Severity } from "../../domain/finding.ts";
import { type Flagged, shapeKey } from "../../domain/flagged.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { RejectedMemory, Rejection } from "../../domain/rejections.ts";
import type { FlaggedCode, PastCode, PastRejections, Rejecting } from "../../ports/rejections.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { type Database, write } from "./database.ts";

const MOST_REJECTED = 5_000;
const MOST_FLAGGED = 2_000;
/** Keys that one statement is given. */
const KEYS_EACH = 20_000;

/** Over an open memory (see openMemory). Throws `Transient` on a lock. */
export function sqliteRejections(db: Database.Database): PastRejections & Rejecting {
  return {
    rejected: async (repo) => rejectedMemories(db, repo),
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

interface RejectedRow {
  readonly mem: string;
  readonly pull: number | null;
  readonly path: string | null;
  readonly category: Category | null;
  readonly rule: string | null;
  readonly foundAt: string | null;
  readonly by: string;
  readonly is_writer: number;
  readonly reason: string | null;
  readonly url: string | null;
  readonly at: number;
  readonly is_reaction: number;
}

/** Of one person's words, reactions and commands about a finding, the one that says most. */
const EACH = `
  SELECT id, by, is_writer, reason, url, at, is_reaction,
    row_number() OVER (PARTITION BY id, by ORDER BY reason IS NULL, is_reaction, at DESC) AS place
  FROM (
    SELECT id, by, is_writer, reason, url, at, 0 AS is_reaction FROM rejections
    UNION ALL SELECT id, by, 1, reason, url, at, is_reaction FROM against)
  WHERE id IN (SELECT id FROM records WHERE repo = @repo AND corpus = 'finding')`;

function rejectedMemories(db: Database.Database, repo: RepoKey): RejectedMemory[] {
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
  const found = new Map<string, RejectedMemory & { readonly each: Rejection[] }>();
  for (const { mem, pull, path, category, rule, foundAt, ...one } of rows) {
    const { by, is_writer, reason, url, at, is_reaction } = one;
    const memory = found.get(mem) ?? { memoryId: mem, pull, path, category, rule, url: foundAt, each: [] };
    const how = is_reaction === 1 ? { isReaction: true } : {};
    memory.each.unshift({ by, isWriter: is_writer === 1, reason, url, at, ...how });
    found.set(mem, memory);
  }
  return [...found.values()];
}

interface FlaggedRow {
  readonly id: number;
  readonly mem: string;
  readonly pull: number;
  readonly path: string;
  readonly category: Category;
  readonly severity: Severity;
  readonly rule: string | null;
  readonly text: string;
  readonly url: string | null;
  readonly said_at: number;
  readonly outcome: string | null;
  readonly fixed_at: number | null;
  readonly before: Buffer;
  readonly at: Buffer;
  readonly after: Buffer;
}

function flaggedRows(db: Database.Database, repo: RepoKey, keys: readonly number[], exceptPull: number): Flagged[] {
  const repoId = repositoryId(db, repo);
  if (repoId === null) return [];
  const read = db.prepare(
    `SELECT f.id, r.mem, r.pull, r.path, r.category, r.severity, f.rule, c.text, c.url, r.at AS said_at, r.outcome, f.fixed_at,
            f.before, f.at, f.after
     FROM flagged f JOIN records r ON r.id = f.id JOIN contents c ON c.id = f.id
     WHERE f.repo = ? AND f.key IN (SELECT value FROM json_each(?)) AND r.pull <> ?
       AND r.path IS NOT NULL AND r.category IS NOT NULL AND r.severity IS NOT NULL
     ORDER BY r.at DESC, f.id LIMIT ?`,
  );
  const rows: FlaggedRow[] = [];
  for (let from = 0; from < keys.length; from += KEYS_EACH) {
    const some = JSON.stringify(keys.slice(from, from + KEYS_EACH));
    rows.push(...(read.all(repoId, some, exceptPull, MOST_FLAGGED) as FlaggedRow[]));
  }
  return rows
    .sort((a, b) => b.said_at - a.said_at || a.id - b.id)
    .slice(0, MOST_FLAGGED)
    .map(asFlagged);
}

function asFlagged(row: FlaggedRow): Flagged {
  const { mem, pull, path, category, severity, rule, text, url, said_at: at } = row;
  return {
    ...{ memoryId: mem, pull, path, category, severity, rule, url, at },
    title: text.split("\n", 1)[0] ?? "",
    shape: { before: tokensOf(row.before), at: tokensOf(row.at), after: tokensOf(row.after) },
    // An outcome that people gave has no date of its own here: the day on which it was said stands for it.
    fixedAt: row.fixed_at ?? (row.outcome === "fixed" ? at : null),
  };
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

function bytesOf(tokens: CodeShape["at"]): Buffer {
  return Buffer.from(Uint32Array.from(tokens).buffer);
}

/** Copied: a row's bytes need not begin where numbers of four bytes may. */
function tokensOf(bytes: Buffer): readonly number[] {
  return [...new Uint32Array(new Uint8Array(bytes).buffer, 0, bytes.length >>> 2)];
}
