// Rejections of findings, which follow from evidence, and the code that findings flagged: stored
// beside the memories, and removed with them.
import { type CodeShape, type Flagged, shapeKey } from "../../domain/code/code-fingerprint.ts";
import type { RejectedMemory, Rejection } from "../../domain/memory/rejections.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { FlaggedCode, PastCode, PastRejections } from "../../ports/rejections.ts";
import type { Database, Sql } from "../sql.ts";
import { rowIds } from "./evidence.ts";
import { repoValues } from "./scope.ts";

const MOST_REJECTED = 5_000;
const MOST_FLAGGED = 2_000;
const MOST_COMMENTERS = 5;
const KEYS_EACH = 20_000;

export function storedRejections(db: Database): PastRejections & PastCode & FlaggedCode {
  return {
    rejected: (repo) => rejected(db, repo),
    flagged: (repo, keys, exceptPull) => flagged(db, repo, keys, exceptPull),
    commenters: (repo, paths, exceptPull) =>
      db.all(
        `SELECT '@' || c.author AS author, count(*) AS comments
         FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
         WHERE p.host = $1 AND p.github_id = $2 AND r.corpus = 'review_comment' AND ${db.dialect.among("r.path", "$3", "text")}
           AND r.pull <> $4 AND c.author IS NOT NULL AND c.author_is_bot = 0
         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $5`,
        [...repoValues(repo), paths, exceptPull, MOST_COMMENTERS],
      ),
    keep: (repo, now, at) => db.transaction((tx) => keep(tx, repo, now, at)),
  };
}

interface RejectedRow extends Omit<RejectedMemory, "each" | "url">, Omit<Rejection, "isReaction"> {
  readonly found_at: string | null;
  readonly is_reaction: number;
}

async function rejected(db: Sql, repo: RepoKey): Promise<RejectedMemory[]> {
  const rows = await db.all<RejectedRow>(
    `SELECT r.mem AS "memoryId", r.pull, r.path, r.category, f.rule, c.url AS found_at, j.by, j.reason, j.url, j.at, j.is_reaction
     FROM rejections j
     JOIN records r ON r.id = j.id JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
     LEFT JOIN flagged f ON f.id = r.id
     WHERE p.host = $1 AND p.github_id = $2 AND r.corpus = 'finding' ORDER BY j.at DESC, j.id, j.by LIMIT $3`,
    [...repoValues(repo), MOST_REJECTED],
  );
  return [...Map.groupBy(rows, ({ memoryId }) => memoryId).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { memoryId, pull, path, category, rule, found_at: url } = first;
    // Rows come newest first; each memory lists its oldest first.
    return { memoryId, pull, path, category, rule, url, each: group.toReversed().map(rejectionOf) };
  });
}

function rejectionOf({ by, reason, url, at, is_reaction, pull }: RejectedRow): Rejection {
  return { by, reason, url, at, isReaction: is_reaction === 1, pull };
}

interface FlaggedRow extends Omit<Flagged, "title" | "shape" | "fixedAt"> {
  readonly id: number;
  readonly text: string;
  readonly outcome: string | null;
  readonly fixed_at: number | null;
  readonly before: Uint8Array;
  readonly there: Uint8Array;
  readonly after: Uint8Array;
}

async function flagged(db: Sql, repo: RepoKey, keys: readonly number[], exceptPull: number): Promise<Flagged[]> {
  const rows: FlaggedRow[] = [];
  for (let from = 0; from < keys.length; from += KEYS_EACH) {
    rows.push(
      ...(await db.all<FlaggedRow>(
        `SELECT f.id, r.mem AS "memoryId", r.pull, r.path, r.category, r.severity, f.rule, c.text, c.url, r.at, r.outcome,
           f.fixed_at, f.before, f.at AS there, f.after
         FROM repositories p JOIN flagged f ON f.repo = p.id JOIN records r ON r.id = f.id JOIN contents c ON c.id = f.id
         WHERE p.host = $1 AND p.github_id = $2 AND ${db.dialect.among("f.key", "$3", "int")} AND r.pull <> $4
           AND r.path IS NOT NULL AND r.category IS NOT NULL AND r.severity IS NOT NULL
         ORDER BY r.at DESC, f.id LIMIT $5`,
        [...repoValues(repo), keys.slice(from, from + KEYS_EACH), exceptPull, MOST_FLAGGED],
      )),
    );
  }
  return rows
    .sort((a, b) => b.at - a.at || a.id - b.id)
    .slice(0, MOST_FLAGGED)
    .map(asFlagged);
}

function asFlagged({ id: _, text, outcome, fixed_at, before, there, after, ...found }: FlaggedRow): Flagged {
  return {
    ...found,
    title: text.split("\n", 1)[0] ?? "",
    shape: { before: tokensOf(before), at: tokensOf(there), after: tokensOf(after) },
    // An outcome set by people has no date here, so the finding's own date is used.
    fixedAt: fixed_at ?? (outcome === "fixed" ? found.at : null),
  };
}

async function keep(
  tx: Sql,
  repo: RepoKey,
  { reported, open, fixed }: Parameters<FlaggedCode["keep"]>[1],
  at: number,
): Promise<void> {
  const ids = await rowIds(tx, repo, [...reported, ...[...open, ...fixed].map((memoryId) => ({ memoryId }))]);
  for (const { memoryId, rule, shape } of reported) {
    const [id, key] = [ids.get(memoryId), shapeKey(shape)];
    if (id === undefined || key === null) continue;
    await tx.run(
      `INSERT INTO flagged (id, repo, key, rule, before, at, after)
       SELECT r.id, r.repo, $2, $3, $4, $5, $6 FROM records r WHERE r.id = $1
       ON CONFLICT (id) DO UPDATE SET key = excluded.key, rule = excluded.rule, before = excluded.before, at = excluded.at,
         after = excluded.after`,
      [id, key, rule, bytesOf(shape.before), bytesOf(shape.at), bytesOf(shape.after)],
    );
  }
  const mark = async (memoryIds: readonly string[], fixedAt: number | null, was: string) => {
    const rows = memoryIds.flatMap((memoryId) => ids.get(memoryId) ?? []);
    if (rows.length === 0) return;
    const among = tx.dialect.among("id", "$2", "int");
    await tx.run(`UPDATE flagged SET fixed_at = $1 WHERE fixed_at ${was} AND ${among}`, [fixedAt, rows]);
  };
  await mark(open, null, "IS NOT NULL");
  await mark(fixed, at, "IS NULL");
}

/** Tokens as a row stores them, four bytes each; tokensOf reads them. */
function bytesOf(tokens: CodeShape["at"]): Uint8Array {
  return new Uint8Array(Uint32Array.from(tokens).buffer);
}

/** Copies the bytes, because a row's bytes may not be aligned to four. */
function tokensOf(bytes: Uint8Array): readonly number[] {
  return [...new Uint32Array(new Uint8Array(bytes).buffer, 0, bytes.length >>> 2)];
}
