// Evidence: people's feedback on our findings, as it was first seen, and the resulting outcomes.
import type { Evidence } from "../../domain/memory/evidence.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { Decision, EvidenceStore, RememberedFinding } from "../../ports/feedback.ts";
import { type Columns, insertRows, objectOf, rowOf, rowTypes } from "../columns.ts";
import { jsonRows } from "../dialect.ts";
import type { Database, Sql } from "../sql.ts";
import { insert, oneValue, upsert } from "../statement.ts";
import { tick } from "./records.ts";
import { repoValues } from "./scope.ts";

export function storedEvidence(db: Database): EvidenceStore {
  return {
    async findings(repo, pull) {
      type Row = Omit<RememberedFinding, "findingId" | "hasFix"> & { source: string; fixed: string | null };
      const rows = await db.all<Row>(
        `SELECT r.mem AS id, r.severity, r.category, r.path, c.source_id AS source, c.sha, c.fixed_code AS fixed
         FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
         WHERE p.host = $1 AND p.github_id = $2 AND r.corpus = 'finding' AND r.pull = $3 ORDER BY r.id`,
        [...repoValues(repo), pull],
      );
      return rows.map(({ source, fixed, ...row }) => {
        // A finding's source id is `#PULL/FINDING`.
        return { ...row, findingId: source.slice(source.indexOf("/") + 1), hasFix: fixed !== null };
      });
    },
    async evidence(repo, pull) {
      const rows = await db.all<{ by_id: number | null }>(
        `SELECT r.mem, e.* FROM evidence e JOIN records r ON r.id = e.id JOIN repositories p ON p.id = r.repo
         WHERE p.host = $1 AND p.github_id = $2 AND r.corpus = 'finding' AND r.pull = $3 ORDER BY e.at, e.key`,
        [...repoValues(repo), pull],
      );
      return rows.map((row) => ({ ...objectOf<Evidence>(READ, row), ...(row.by_id === null ? { by: null } : {}) }));
    },
    async pulls(repo) {
      const rows = await db.all<{ pull: number }>(
        `SELECT DISTINCT r.pull FROM evidence e JOIN records r ON r.id = e.id JOIN repositories p ON p.id = r.repo
         WHERE p.host = $1 AND p.github_id = $2 AND r.pull IS NOT NULL ORDER BY 1`,
        repoValues(repo),
      );
      return rows.map(({ pull }) => pull);
    },
    add: (repo, given) => db.transaction((tx) => add(tx, repo, given)),
    withdraw: (repo, withdrawn, at) =>
      db.transaction(async (tx) => {
        const ids = await rowIds(tx, repo, withdrawn);
        const rows = withdrawn.map(({ memoryId, key }) => ({ id: ids.get(memoryId), key }));
        await tx.run(
          `UPDATE evidence SET withdrawn_at = $2 FROM ${tx.dialect.rows("$1", { id: "int", key: "text" })}
           WHERE evidence.id = x.id AND evidence.key = x.key AND withdrawn_at IS NULL`,
          [jsonRows(rows), at],
        );
      }),
    pullOf: (repo, memoryId) =>
      oneValue(
        db,
        `SELECT r.pull FROM records r JOIN repositories p ON p.id = r.repo
         WHERE p.host = $1 AND p.github_id = $2 AND r.mem = $3 AND r.corpus = 'finding'`,
        [...repoValues(repo), memoryId],
      ),
    decide: (repo, decisions) => db.transaction((tx) => decide(tx, repo, decisions)),
    keepFixes: (repo, fixes) =>
      db.transaction(async (tx) => {
        const version = await tick(tx);
        const ids = await rowIds(tx, repo, fixes);
        const update = "UPDATE contents SET flagged_code = $1, fixed_code = $2 WHERE id = $3";
        for (const { memoryId, flaggedCode, fixedCode } of fixes)
          await tx.run(update, [flaggedCode, fixedCode, ids.get(memoryId) ?? null]);
        await versionIs(tx, repo, version);
      }),
  };
}

const EVIDENCE: Columns = {
  key: ["text", "key"],
  kind: ["text", "kind"],
  stance: ["text", "stance"],
  by_id: ["int", "by.id"],
  by_login: ["text", "by.login"],
  by_access: ["text", "by.access"],
  by_is_bot: ["flag", "by.isBot"],
  at: ["int", "at"],
  text: ["text", "text"],
  url: ["text", "url"],
  sha: ["text", "sha"],
};
const READ: Columns = { mem: ["text", "memoryId"], ...EVIDENCE, withdrawn_at: ["int", "withdrawnAt"] };

async function add(tx: Sql, repo: RepoKey, given: readonly Evidence[]): Promise<number> {
  const ids = await rowIds(tx, repo, given);
  const rows = given.flatMap((evidence) => {
    const id = ids.get(evidence.memoryId);
    // Removed meanwhile.
    return id === undefined ? [] : [{ id, ...rowOf(EVIDENCE, evidence) }];
  });
  if (rows.length === 0) return 0;
  // Evidence that reappears is no longer withdrawn.
  await tx.run(
    `UPDATE evidence SET withdrawn_at = NULL FROM ${tx.dialect.rows("$1", { id: "int", key: "text" })}
     WHERE evidence.id = x.id AND evidence.key = x.key`,
    [jsonRows(rows)],
  );
  return insertRows(tx, "evidence", { id: "int", ...rowTypes(EVIDENCE) }, rows);
}

/** Marks a record with a new outcome as changed, so that the search index reloads it. */
async function decide(tx: Sql, repo: RepoKey, decisions: readonly Decision[]): Promise<number> {
  const version = await tick(tx);
  const ids = await rowIds(tx, repo, decisions);
  let changed = 0;
  for (const { memoryId, outcome, decided, rejections } of decisions) {
    const id = ids.get(memoryId);
    if (id === undefined) continue;
    // Replaces the known rejections, because people change their minds.
    await tx.run("DELETE FROM rejections WHERE id = $1", [id]);
    for (const { by, reason, url, at, isReaction } of rejections)
      await upsert(tx, "rejections", ["id", "by"], { id, by, reason, url, at, is_reaction: isReaction });
    const { at, by, reason, sha, weight } = decided ?? { at: null, by: null, reason: null, sha: null, weight: null };
    const next = { outcome, at, by, reason, sha, weight };
    const before = await tx.one<typeof next>(
      `SELECT r.outcome, d.at, d.by, d.reason, d.sha, d.weight FROM records r LEFT JOIN decided d ON d.id = r.id WHERE r.id = $1`,
      [id],
    );
    if (JSON.stringify(before) === JSON.stringify(next)) continue;
    await tx.run("DELETE FROM decided WHERE id = $1", [id]);
    if (decided !== null) await insert(tx, "decided", { id, ...next });
    await tx.run("UPDATE records SET outcome = $1, changed = $2 WHERE id = $3", [outcome, version, id]);
    changed += 1;
  }
  if (changed > 0) await versionIs(tx, repo, version);
  return changed;
}

async function versionIs(tx: Sql, repo: RepoKey, version: number): Promise<void> {
  const update = "UPDATE repositories SET version = $3 WHERE host = $1 AND github_id = $2";
  await tx.run(update, [...repoValues(repo), version]);
}

/** Memory id → row id, for memories of this repository only. */
export async function rowIds(
  sql: Sql,
  repo: RepoKey,
  of: readonly { readonly memoryId: string }[],
): Promise<ReadonlyMap<string, number>> {
  if (of.length === 0) return new Map();
  const rows = await sql.all<{ id: number; mem: string }>(
    `SELECT r.id, r.mem FROM records r JOIN repositories p ON p.id = r.repo
     WHERE p.host = $1 AND p.github_id = $2 AND ${sql.dialect.among("r.mem", "$3", "text")}`,
    [...repoValues(repo), [...new Set(of.map(({ memoryId }) => memoryId))]],
  );
  return new Map(rows.map(({ id, mem }) => [mem, id]));
}
