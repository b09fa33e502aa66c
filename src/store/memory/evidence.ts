// What people did about our findings, as it was first seen, and the outcomes that follow; beside the memories, in the same database.
import type { AccessLevel } from "../../domain/command.ts";
import type { Evidence } from "../../domain/memory/evidence.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { Decision, EvidenceShelf, KnownFix, RememberedFinding } from "../../ports/feedback.ts";
import { jsonRows } from "../dialect.ts";
import type { Database, Sql } from "../sql.ts";
import { tick } from "./records.ts";
import { repoValues } from "./scope.ts";

/** Over an open memory. Throws `Transient` for what passes. */
export function storedEvidence(db: Database): EvidenceShelf {
  return {
    findings: (repo, pull) => findings(db, repo, pull),
    evidence: (repo, pull) => evidence(db, repo, pull),
    async pulls(repo) {
      const rows = await db.all<{ pull: number }>(
        `SELECT DISTINCT r.pull FROM evidence e JOIN records r ON r.id = e.id JOIN repositories p ON p.id = r.repo
         WHERE p.host = $1 AND p.github_id = $2 AND r.pull IS NOT NULL ORDER BY 1`,
        repoValues(repo),
      );
      return rows.map(({ pull }) => pull);
    },
    add: (repo, given) => db.transaction((tx) => add(tx, repo, given)),
    withdraw: (repo, withdrawn, at) => db.transaction((tx) => withdraw(tx, repo, withdrawn, at)),
    async pullOf(repo, memoryId) {
      const row = await db.one<{ pull: number | null }>(
        `SELECT r.pull FROM records r JOIN repositories p ON p.id = r.repo
         WHERE p.host = $1 AND p.github_id = $2 AND r.mem = $3 AND r.corpus = 'finding'`,
        [...repoValues(repo), memoryId],
      );
      return row?.pull ?? null;
    },
    decide: (repo, decisions) => db.transaction((tx) => decide(tx, repo, decisions)),
    keepFixes: (repo, fixes) => db.transaction((tx) => keepFixes(tx, repo, fixes)),
  };
}

async function findings(db: Sql, repo: RepoKey, pull: number): Promise<readonly RememberedFinding[]> {
  interface Row extends Omit<RememberedFinding, "findingId" | "hasFix"> {
    readonly source_id: string;
    readonly has_fix: number;
  }
  const rows = await db.all<Row>(
    `SELECT r.mem AS id, r.severity, r.category, r.path, c.source_id, c.sha,
       CASE WHEN c.fixed_code IS NULL THEN 0 ELSE 1 END AS has_fix
     FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
     WHERE p.host = $1 AND p.github_id = $2 AND r.corpus = 'finding' AND r.pull = $3 ORDER BY r.id`,
    [...repoValues(repo), pull],
  );
  return rows.map(({ source_id, has_fix, ...row }) => {
    // A finding's own name is `#PULL/FINDING`.
    return { ...row, findingId: source_id.slice(source_id.indexOf("/") + 1), hasFix: has_fix === 1 };
  });
}

interface EvidenceRow extends Omit<Evidence, "by"> {
  readonly byId: number | null;
  readonly byLogin: string | null;
  readonly byAccess: string | null;
  readonly byIsBot: number | null;
  readonly byFirstTime: number | null;
}

async function evidence(db: Sql, repo: RepoKey, pull: number): Promise<readonly Evidence[]> {
  const rows = await db.all<EvidenceRow>(
    `SELECT r.mem AS "memoryId", e.key, e.kind, e.stance, e.at, e.text, e.url, e.sha, e.withdrawn_at AS "withdrawnAt",
       e.by_id AS "byId", e.by_login AS "byLogin", e.by_access AS "byAccess", e.by_is_bot AS "byIsBot",
       e.by_first_time AS "byFirstTime"
     FROM evidence e JOIN records r ON r.id = e.id JOIN repositories p ON p.id = r.repo
     WHERE p.host = $1 AND p.github_id = $2 AND r.corpus = 'finding' AND r.pull = $3 ORDER BY e.at, e.key`,
    [...repoValues(repo), pull],
  );
  return rows.map(({ byId, byLogin, byAccess, byIsBot, byFirstTime, ...row }) => ({
    ...row,
    by:
      byId === null
        ? null
        : {
            id: byId,
            login: byLogin ?? "ghost",
            access: (byAccess ?? "none") as AccessLevel,
            isBot: byIsBot === 1,
            isFirstTime: byFirstTime === 1,
          },
  }));
}

const EVIDENCE = {
  id: "int",
  key: "text",
  kind: "text",
  stance: "text",
  by_id: "int",
  by_login: "text",
  by_access: "text",
  by_is_bot: "int",
  by_first_time: "int",
  at: "int",
  text: "text",
  url: "text",
  sha: "text",
} as const;

async function add(tx: Sql, repo: RepoKey, given: readonly Evidence[]): Promise<number> {
  const ids = await rowIds(
    tx,
    repo,
    given.map(({ memoryId }) => memoryId),
  );
  const rows = given.flatMap(({ memoryId, by, key, kind, stance, at, text, url, sha }) => {
    const id = ids.get(memoryId);
    // Forgotten meanwhile.
    if (id === undefined) return [];
    const who = {
      by_id: by?.id,
      by_login: by?.login,
      by_access: by?.access,
      by_is_bot: by?.isBot,
      by_first_time: by?.isFirstTime,
    };
    return [{ id, key, kind, stance, ...who, at, text, url, sha }];
  });
  if (rows.length === 0) return 0;
  const names = Object.keys(EVIDENCE).join(", ");
  const all = jsonRows(rows);
  // What was withdrawn and is there again counts again.
  await tx.run(
    `UPDATE evidence SET withdrawn_at = NULL FROM ${tx.dialect.rows("$1", { id: "int", key: "text" })}
     WHERE evidence.id = x.id AND evidence.key = x.key`,
    [all],
  );
  return tx.run(
    `INSERT INTO evidence (${names}) SELECT ${names} FROM ${tx.dialect.rows("$1", EVIDENCE)} WHERE true ON CONFLICT DO NOTHING`,
    [all],
  );
}

async function withdraw(
  tx: Sql,
  repo: RepoKey,
  withdrawn: Parameters<EvidenceShelf["withdraw"]>[1],
  at: number,
): Promise<void> {
  const ids = await rowIds(
    tx,
    repo,
    withdrawn.map(({ memoryId }) => memoryId),
  );
  const rows = withdrawn.map(({ memoryId, key }) => ({ id: ids.get(memoryId), key }));
  await tx.run(
    `UPDATE evidence SET withdrawn_at = $2 FROM ${tx.dialect.rows("$1", { id: "int", key: "text" })}
     WHERE evidence.id = x.id AND evidence.key = x.key AND withdrawn_at IS NULL`,
    [jsonRows(rows), at],
  );
}

/** A record whose outcome changes counts as changed, so that the search reads it again. */
async function decide(tx: Sql, repo: RepoKey, decisions: readonly Decision[]): Promise<number> {
  const version = await tick(tx);
  const ids = await rowIds(
    tx,
    repo,
    decisions.map(({ memoryId }) => memoryId),
  );
  let changed = 0;
  for (const { memoryId, outcome, decided, against } of decisions) {
    const id = ids.get(memoryId);
    if (id === undefined) continue;
    await keepAgainst(tx, id, against);
    const { at, by, reason, sha, weight } = decided ?? { at: null, by: null, reason: null, sha: null, weight: null };
    const next = { outcome, at, by, reason, sha, weight };
    const before = await tx.one<typeof next>(
      `SELECT r.outcome, d.at, d.by, d.reason, d.sha, d.weight FROM records r LEFT JOIN decided d ON d.id = r.id WHERE r.id = $1`,
      [id],
    );
    if (JSON.stringify(before) === JSON.stringify(next)) continue;
    await tx.run("DELETE FROM decided WHERE id = $1", [id]);
    if (decided !== null)
      await tx.run(
        "INSERT INTO decided (id, outcome, at, by, reason, sha, weight) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [id, outcome, at, by, reason, sha, weight],
      );
    await tx.run("UPDATE records SET outcome = $1, changed = $2 WHERE id = $3", [outcome, version, id]);
    changed += 1;
  }
  if (changed > 0) await versionIs(tx, repo, version);
  return changed;
}

/** Takes the place of what was known before: people change their minds. */
async function keepAgainst(tx: Sql, id: number, against: Decision["against"]): Promise<void> {
  await tx.run("DELETE FROM against WHERE id = $1", [id]);
  for (const { by, reason, url, at, isReaction } of against)
    await tx.run(
      `INSERT INTO against (id, by, reason, url, at, is_reaction) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id, by) DO UPDATE SET reason = excluded.reason, url = excluded.url, at = excluded.at,
         is_reaction = excluded.is_reaction`,
      [id, by, reason, url, at, isReaction === true],
    );
}

async function keepFixes(tx: Sql, repo: RepoKey, fixes: readonly KnownFix[]): Promise<void> {
  const version = await tick(tx);
  const ids = await rowIds(
    tx,
    repo,
    fixes.map(({ memoryId }) => memoryId),
  );
  for (const { memoryId, flaggedCode, fixedCode } of fixes)
    await tx.run("UPDATE contents SET flagged_code = $1, fixed_code = $2 WHERE id = $3", [
      flaggedCode,
      fixedCode,
      ids.get(memoryId) ?? null,
    ]);
  await versionIs(tx, repo, version);
}

async function versionIs(tx: Sql, repo: RepoKey, version: number): Promise<void> {
  await tx.run("UPDATE repositories SET version = $3 WHERE host = $1 AND github_id = $2", [
    ...repoValues(repo),
    version,
  ]);
}

/** The rows of memories of this repository, by the memories' ids; those of other repositories are not found. */
export async function rowIds(
  sql: Sql,
  repo: RepoKey,
  memoryIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (memoryIds.length === 0) return new Map();
  const rows = await sql.all<{ id: number; mem: string }>(
    `SELECT r.id, r.mem FROM records r JOIN repositories p ON p.id = r.repo
     WHERE p.host = $1 AND p.github_id = $2 AND ${sql.dialect.among("r.mem", "$3", "text")}`,
    [...repoValues(repo), [...new Set(memoryIds)]],
  );
  return new Map(rows.map(({ id, mem }) => [mem, id]));
}
