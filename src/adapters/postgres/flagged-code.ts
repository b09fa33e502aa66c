// The code that findings were about, as hashes of its tokens, beside the records: it goes with them.
import type { CodeShape } from "../../domain/code-shape.ts";
import type { Category, Severity } from "../../domain/finding.ts";
import { type Flagged, shapeKey } from "../../domain/flagged.ts";
import type { FlaggedCode, PastCode } from "../../ports/rejections.ts";
import { repositoryId } from "./repository-row.ts";
import type { Postgres, Sql } from "./sql.ts";

const MOST_FLAGGED = 2_000;

/** Over an open database. */
export function postgresFlaggedCode(db: Postgres): PastCode & FlaggedCode {
  return {
    async flagged(repo, keys, exceptPull) {
      const rows = await db.all<FlaggedRow>(
        `SELECT r.mem, r.pull, r.path, r.category, r.severity, f.rule, c.text, c.url, r.at AS said_at, r.outcome, f.fixed_at,
                f.before, f.at, f.after
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

interface FlaggedRow {
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

function bytesOf(tokens: CodeShape["at"]): Buffer {
  return Buffer.from(Uint32Array.from(tokens).buffer);
}

/** Copied: a row's bytes need not begin where numbers of four bytes may. */
function tokensOf(bytes: Buffer): readonly number[] {
  return [...new Uint32Array(new Uint8Array(bytes).buffer, 0, bytes.length >>> 2)];
}
