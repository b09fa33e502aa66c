// Evidence beside the memories, in the same file: what people did about our findings, as it was first seen, and what followed.
import type { AccessLevel } from "../../domain/command.ts";
import type { Evidence } from "../../domain/evidence.ts";
import type { RepoKey } from "../../domain/memory.ts";
import type { Decision, EvidenceShelf, KnownFix, RememberedFinding } from "../../ports/feedback.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { type Database, write } from "./database.ts";
import { tick } from "./repository-label.ts";

interface Row extends Omit<Evidence, "by"> {
  readonly byId: number | null;
  readonly byLogin: string | null;
  readonly byAccess: string | null;
  readonly byIsBot: number | null;
  readonly byFirstTime: number | null;
}

interface FindingRow extends Omit<RememberedFinding, "findingId" | "hasFix"> {
  readonly sourceId: string;
  readonly hasFix: number;
}

/** The shelf over an open memory (see openMemory). Throws `Transient` on a lock. */
export function sqliteEvidence(db: Database.Database): EvidenceShelf {
  return {
    findings: async (repo, pull) => findings(db, repo, pull),
    evidence: async (repo, pull) => evidence(db, repo, pull),
    pulls: async (repo) =>
      db
        .prepare(
          `SELECT DISTINCT r.pull FROM evidence e JOIN records r ON r.id = e.id JOIN repositories p ON p.id = r.repo
           WHERE p.host = @host AND p.github_id = @githubId AND r.pull IS NOT NULL ORDER BY 1`,
        )
        .pluck()
        .all(keyOf(repo)) as number[],
    add: async (repo, given) => write(db, () => add(db, repo, given)),
    withdraw: async (repo, gone, at) => write(db, () => withdraw(db, repo, gone, at)),
    pullOf: async (repo, memoryId) => pullOf(db, repo, memoryId),
    decide: async (repo, decisions) => write(db, () => decide(db, repo, decisions)),
    keepFixes: async (repo, fixes) => write(db, () => keepFixes(db, repo, fixes)),
  };
}

function findings(db: Database.Database, repo: RepoKey, pull: number): readonly RememberedFinding[] {
  const rows = db
    .prepare(
      `SELECT r.mem AS id, r.severity, r.category, r.path, c.source_id AS sourceId, c.sha,
         c.fixed_code IS NOT NULL AS hasFix FROM records r
       JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id
       WHERE p.host = @host AND p.github_id = @githubId AND r.corpus = 'finding' AND r.pull = @pull ORDER BY r.id`,
    )
    .all({ ...keyOf(repo), pull }) as FindingRow[];
  return rows.map(({ sourceId, hasFix, ...row }) => {
    // A finding's own name is `#PULL/FINDING`.
    return { ...row, findingId: sourceId.slice(sourceId.indexOf("/") + 1), hasFix: hasFix === 1 };
  });
}

function evidence(db: Database.Database, repo: RepoKey, pull: number): readonly Evidence[] {
  const rows = db
    .prepare(
      `SELECT r.mem AS memoryId, e.key, e.kind, e.stance, e.at, e.text, e.url, e.sha, e.withdrawn_at AS withdrawnAt,
         e.by_id AS byId, e.by_login AS byLogin, e.by_access AS byAccess, e.by_is_bot AS byIsBot,
         e.by_first_time AS byFirstTime
       FROM evidence e JOIN records r ON r.id = e.id JOIN repositories p ON p.id = r.repo
       WHERE p.host = @host AND p.github_id = @githubId AND r.corpus = 'finding' AND r.pull = @pull ORDER BY e.at, e.key`,
    )
    .all({ ...keyOf(repo), pull }) as Row[];
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

function add(db: Database.Database, repo: RepoKey, given: readonly Evidence[]): number {
  const find = recordFinder(db, repo);
  const insert = db.prepare(
    `INSERT INTO evidence (id, key, kind, stance, by_id, by_login, by_access, by_is_bot, by_first_time, at, text, url, sha)
     VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id, key) DO NOTHING`,
  );
  const again = db.prepare("UPDATE evidence SET withdrawn_at = NULL WHERE id = ? AND key = ?");
  let added = 0;
  for (const { memoryId, key, kind, stance, by, at, text, url, sha } of given) {
    const id = find(memoryId);
    // Forgotten meanwhile.
    if (id === null) continue;
    const who =
      by === null ? [null, null, null, null, null] : [by.id, by.login, by.access, flag(by.isBot), flag(by.isFirstTime)];
    const { changes } = insert.run(id, key, kind, stance, ...who, at, text, url, sha);
    if (changes === 0) again.run(id, key);
    added += changes;
  }
  return added;
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

function withdraw(
  db: Database.Database,
  repo: RepoKey,
  gone: Parameters<EvidenceShelf["withdraw"]>[1],
  at: number,
): void {
  const find = recordFinder(db, repo);
  const mark = db.prepare("UPDATE evidence SET withdrawn_at = ? WHERE id = ? AND key = ? AND withdrawn_at IS NULL");
  for (const { memoryId, key } of gone) mark.run(at, find(memoryId), key);
}

/** A record whose outcome changes counts as changed, so that searches in memory read it again. */
function decide(db: Database.Database, repo: RepoKey, decisions: readonly Decision[]): number {
  const find = recordFinder(db, repo);
  const forget = db.prepare("DELETE FROM decided WHERE id = ?");
  const insert = db.prepare("INSERT INTO decided (id, outcome, at, by, reason, sha, weight) VALUES (?,?,?,?,?,?,?)");
  const before = db.prepare(
    `SELECT r.outcome, d.at, d.by, d.reason, d.sha, d.weight FROM records r LEFT JOIN decided d ON d.id = r.id WHERE r.id = ?`,
  );
  const set = db.prepare("UPDATE records SET outcome = ?, changed = ? WHERE id = ?");
  const hear = againstWriter(db);
  let version: number | null = null;
  let changed = 0;
  for (const { memoryId, outcome, decided, against } of decisions) {
    const id = find(memoryId);
    if (id === null) continue;
    hear(id, against);
    const { at, by, reason, sha, weight } = decided ?? { at: null, by: null, reason: null, sha: null, weight: null };
    const next = { outcome, at, by, reason, sha, weight };
    if (JSON.stringify(before.get(id)) === JSON.stringify(next)) continue;
    version ??= tick(db);
    forget.run(id);
    if (decided !== null) insert.run(id, outcome, at, by, reason, sha, weight);
    set.run(outcome, version, id);
    changed++;
  }
  if (version !== null) versionIs(db, repo, version);
  return changed;
}

/** Takes the place of what was heard before: somebody may have changed their mind. */
function againstWriter(db: Database.Database): (id: number, against: Decision["against"]) => void {
  const forget = db.prepare("DELETE FROM against WHERE id = ?");
  const insert = db.prepare(
    "INSERT OR REPLACE INTO against (id, by, reason, url, at, is_reaction) VALUES (?,?,?,?,?,?)",
  );
  return (id, against) => {
    forget.run(id);
    for (const { by, reason, url, at, isReaction } of against)
      insert.run(id, by, reason, url, at, flag(isReaction === true));
  };
}

function pullOf(db: Database.Database, repo: RepoKey, memoryId: string): number | null {
  const pull = db.prepare("SELECT pull FROM records WHERE id = ? AND corpus = 'finding'").pluck();
  return (pull.get(recordFinder(db, repo)(memoryId)) as number | null | undefined) ?? null;
}

function versionIs(db: Database.Database, repo: RepoKey, version: number): void {
  const { host, githubId } = keyOf(repo);
  db.prepare("UPDATE repositories SET version = ? WHERE host = ? AND github_id = ?").run(version, host, githubId);
}

function keepFixes(db: Database.Database, repo: RepoKey, fixes: readonly KnownFix[]): void {
  const find = recordFinder(db, repo);
  const keep = db.prepare("UPDATE contents SET flagged_code = ?, fixed_code = ? WHERE id = ?");
  for (const { memoryId, flaggedCode, fixedCode } of fixes) keep.run(flaggedCode, fixedCode, find(memoryId));
  versionIs(db, repo, tick(db));
}

/** Row ids of memories of this repository; ids of other repositories are not found. */
function recordFinder(db: Database.Database, repo: RepoKey): (memoryId: string) => number | null {
  const find = db
    .prepare(
      `SELECT r.id FROM records r JOIN repositories p ON p.id = r.repo
       WHERE r.mem = @memoryId AND p.host = @host AND p.github_id = @githubId`,
    )
    .pluck();
  const key = keyOf(repo);
  return (memoryId) => (find.get({ ...key, memoryId }) as number | undefined) ?? null;
}

function keyOf(repo: RepoKey): { readonly host: string; readonly githubId: string } {
  // The empty host is no repository.
  return splitRepoKey(repo) ?? { host: "", githubId: "" };
}
