// Evidence beside the memories: what people did about our findings, as it was first seen, and what followed.
import type { AccessLevel } from "../../domain/command.ts";
import type { Evidence } from "../../domain/evidence.ts";
import type { Decided, Outcome, RepoKey } from "../../domain/memory.ts";
import type { Decision, EvidenceShelf, KnownFix, RememberedFinding } from "../../ports/feedback.ts";
import { asJson } from "./database.ts";
import { keyOf, nextVersion, recordIds } from "./repository-row.ts";
import type { Postgres, Sql } from "./sql.ts";

const OF_PULL = `JOIN repositories p ON p.id = r.repo
  WHERE p.host = $1 AND p.github_id = $2 AND r.corpus = 'finding' AND r.pull = $3`;

/** The shelf over an open database. */
export function postgresEvidence(db: Postgres): EvidenceShelf {
  return {
    findings: (repo, pull) => findings(db, repo, pull),
    evidence: (repo, pull) => evidence(db, repo, pull),
    async pulls(repo) {
      const rows = await db.all<{ pull: number }>(
        `SELECT DISTINCT r.pull FROM evidence e JOIN records r ON r.id = e.id JOIN repositories p ON p.id = r.repo
         WHERE p.host = $1 AND p.github_id = $2 AND r.pull IS NOT NULL ORDER BY 1`,
        [...keyOf(repo)],
      );
      return rows.map(({ pull }) => pull);
    },
    add: (repo, given) => db.transaction((sql) => add(sql, repo, given)),
    withdraw: (repo, gone, at) => withdraw(db, repo, gone, at),
    async pullOf(repo, memoryId) {
      const id = (await recordIds(db, repo, [memoryId])).get(memoryId) ?? null;
      const row = await db.one<{ pull: number | null }>(
        "SELECT pull FROM records WHERE id = $1 AND corpus = 'finding'",
        [id],
      );
      return row?.pull ?? null;
    },
    decide: (repo, decisions) => db.transaction((sql) => decide(sql, repo, decisions)),
    keepFixes: (repo, fixes) => db.transaction((sql) => keepFixes(sql, repo, fixes)),
  };
}

async function findings(sql: Sql, repo: RepoKey, pull: number): Promise<readonly RememberedFinding[]> {
  const rows = await sql.all<Omit<RememberedFinding, "findingId"> & { readonly sourceId: string }>(
    `SELECT r.mem AS id, r.severity, r.category, r.path, c.source_id AS "sourceId", c.sha,
       c.fixed_code IS NOT NULL AS "hasFix" FROM records r JOIN contents c ON c.id = r.id ${OF_PULL} ORDER BY r.id`,
    [...keyOf(repo), pull],
  );
  // A finding's own name is `#PULL/FINDING`.
  return rows.map(({ sourceId, ...row }) => ({ ...row, findingId: sourceId.slice(sourceId.indexOf("/") + 1) }));
}

interface Row extends Omit<Evidence, "by"> {
  readonly byId: number | null;
  readonly byLogin: string | null;
  readonly byAccess: string | null;
  readonly byIsBot: boolean | null;
  readonly byFirstTime: boolean | null;
}

async function evidence(sql: Sql, repo: RepoKey, pull: number): Promise<readonly Evidence[]> {
  const rows = await sql.all<Row>(
    `SELECT r.mem AS "memoryId", e.key, e.kind, e.stance, e.at, e.text, e.url, e.sha, e.withdrawn_at AS "withdrawnAt",
       e.by_id AS "byId", e.by_login AS "byLogin", e.by_access AS "byAccess", e.by_is_bot AS "byIsBot",
       e.by_first_time AS "byFirstTime"
     FROM evidence e JOIN records r ON r.id = e.id ${OF_PULL} ORDER BY e.at, e.key`,
    [...keyOf(repo), pull],
  );
  return rows.map(({ byId, byLogin, byAccess, byIsBot, byFirstTime, ...row }) => {
    if (byId === null) return { ...row, by: null };
    const access = (byAccess ?? "none") as AccessLevel;
    const who = { id: byId, login: byLogin ?? "ghost", access, isBot: byIsBot === true };
    return { ...row, by: { ...who, isFirstTime: byFirstTime === true } };
  });
}

async function add(sql: Sql, repo: RepoKey, given: readonly Evidence[]): Promise<number> {
  const ids = await recordIds(
    sql,
    repo,
    given.map(({ memoryId }) => memoryId),
  );
  let added = 0;
  for (const { memoryId, key, kind, stance, by, at, text, url, sha } of given) {
    const id = ids.get(memoryId);
    // Forgotten meanwhile.
    if (id === undefined) continue;
    const who = by === null ? [null, null, null, null, null] : [by.id, by.login, by.access, by.isBot, by.isFirstTime];
    const changes = await sql.run(
      `INSERT INTO evidence (id, key, kind, stance, by_id, by_login, by_access, by_is_bot, by_first_time, at, text, url, sha)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (id, key) DO NOTHING`,
      [id, key, kind, stance, ...who, at, text, url, sha],
    );
    if (changes === 0) await sql.run("UPDATE evidence SET withdrawn_at = NULL WHERE id = $1 AND key = $2", [id, key]);
    added += changes;
  }
  return added;
}

async function withdraw(
  sql: Sql,
  repo: RepoKey,
  gone: Parameters<EvidenceShelf["withdraw"]>[1],
  at: number,
): Promise<void> {
  const ids = await recordIds(
    sql,
    repo,
    gone.map(({ memoryId }) => memoryId),
  );
  const given = gone.map(({ memoryId, key }) => ({ id: ids.get(memoryId) ?? null, key }));
  await sql.run(
    `UPDATE evidence e SET withdrawn_at = $2 FROM jsonb_to_recordset($1::jsonb) AS x (id bigint, key text)
     WHERE e.id = x.id AND e.key = x.key AND e.withdrawn_at IS NULL`,
    [asJson(given), at],
  );
}

type Known = Partial<Decided> & { readonly outcome: Outcome | null };

/** A record whose outcome changes counts as changed, so that searches in memory read it again. */
async function decide(sql: Sql, repo: RepoKey, decisions: readonly Decision[]): Promise<number> {
  const ids = await recordIds(
    sql,
    repo,
    decisions.map(({ memoryId }) => memoryId),
  );
  let version: number | null = null;
  let changed = 0;
  for (const { memoryId, outcome, decided, against } of decisions) {
    const id = ids.get(memoryId);
    if (id === undefined) continue;
    await hear(sql, id, against);
    const { at, by, reason, sha, weight } = decided ?? { at: null, by: null, reason: null, sha: null, weight: null };
    const next = { outcome, at, by, reason, sha, weight };
    const before = await sql.one<Known>(
      `SELECT r.outcome, d.at, d.by, d.reason, d.sha, d.weight FROM records r LEFT JOIN decided d ON d.id = r.id WHERE r.id = $1`,
      [id],
    );
    if (JSON.stringify(before) === JSON.stringify(next)) continue;
    version ??= (await nextVersion(sql, repo))?.version ?? 0;
    await sql.run("DELETE FROM decided WHERE id = $1", [id]);
    if (decided !== null)
      await sql.run(
        "INSERT INTO decided (id, outcome, at, by, reason, sha, weight) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [...[id, outcome, at, by, reason, sha, weight]],
      );
    await sql.run("UPDATE records SET outcome = $2, changed = $3 WHERE id = $1", [id, outcome, version]);
    changed++;
  }
  return changed;
}

/** Takes the place of what was heard before: somebody may have changed their mind. */
async function hear(sql: Sql, id: number, against: Decision["against"]): Promise<void> {
  await sql.run("DELETE FROM against WHERE id = $1", [id]);
  for (const { by, reason, url, at, isReaction } of against)
    await sql.run(
      `INSERT INTO against (id, by, reason, url, at, is_reaction) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id, by) DO UPDATE SET reason = excluded.reason, url = excluded.url, at = excluded.at,
         is_reaction = excluded.is_reaction`,
      [id, by, reason, url, at, isReaction === true],
    );
}

async function keepFixes(sql: Sql, repo: RepoKey, fixes: readonly KnownFix[]): Promise<void> {
  const ids = await recordIds(
    sql,
    repo,
    fixes.map(({ memoryId }) => memoryId),
  );
  const given = fixes.map(({ memoryId, flaggedCode, fixedCode }) => ({
    id: ids.get(memoryId) ?? null,
    flaggedCode,
    fixedCode,
  }));
  await nextVersion(sql, repo);
  await sql.run(
    `UPDATE contents c SET flagged_code = x."flaggedCode", fixed_code = x."fixedCode"
     FROM jsonb_to_recordset($1::jsonb) AS x (id bigint, "flaggedCode" text, "fixedCode" text) WHERE c.id = x.id`,
    [asJson(given)],
  );
}
