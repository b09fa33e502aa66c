// To whom a repository belongs and who may read it. Writing a memory can only narrow that; widening takes a fresh fact.
import type { Repo } from "../../domain/job.ts";
import type { MemoryRecord } from "../../domain/memory.ts";
import type { RepositoryLabels } from "../../ports/memory.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { type Database, write } from "./database.ts";

/**
 * Finds the row of a record's repository for a record about to be written, made or narrowed: the stricter visibility stays, and an owner
 * that differs from the known one leaves the repository with none, so that it is in nobody's pool until somebody who
 * knows relabels it. A job or an export may be older than a transfer or a change to private.
 *
 * @returns a function of the record and the version of the write that it is part of; gives the row's id, or throws
 *   RangeError when the record names no repository
 */
export function repositoryLabeller(db: Database.Database): (record: MemoryRecord, version: number) => number {
  const label = db
    .prepare(
      `INSERT INTO repositories (host, github_id, owner_id, visibility, full_name, version)
       VALUES (@host, @githubId, @ownerId, @visibility, @name, @version)
       ON CONFLICT (host, github_id) DO UPDATE SET
         owner_id = CASE WHEN owner_id = @ownerId THEN owner_id END,
         visibility = CASE WHEN 'private' IN (visibility, @visibility) THEN 'private'
                           WHEN 'internal' IN (visibility, @visibility) THEN 'internal' ELSE 'public' END,
         gives = CASE WHEN owner_id = @ownerId THEN gives ELSE 0 END,
         full_name = @name, version = @version
       RETURNING id`,
    )
    .pluck();
  return (record, version) => {
    const key = splitRepoKey(record.repo);
    if (key === null) throw new RangeError(`not a repository key: ${JSON.stringify(record.repo)}`);
    const { ownerId, visibility, repoName: name } = record;
    return label.get({ ...key, ownerId, visibility, name, version }) as number;
  };
}

/**
 * Sets owner, visibility and name as GitHub tells them now: after `transferred`, `publicized`, `privatized`, `renamed`.
 * All rows of the repository are seen by the new rules from the next search on. What one owner gave is not the next one's.
 *
 * @returns false when nothing is remembered about this repository
 */
export function relabelRepository(db: Database.Database, repo: Repo): boolean {
  return write(db, () => {
    const changed = db
      .prepare(
        `UPDATE repositories SET gives = CASE WHEN owner_id = ? THEN gives ELSE 0 END, owner_id = ?, visibility = ?,
           full_name = ?, version = ? WHERE host = ? AND github_id = ?`,
      )
      .run(
        repo.ownerId,
        repo.ownerId,
        repo.visibility,
        `${repo.owner}/${repo.name}`,
        tick(db),
        repo.host,
        String(repo.id),
      );
    return changed.changes > 0;
  });
}

/**
 * Sets whether other repositories of its owner may have patterns of what is remembered here. A repository of which nothing
 * is remembered yet is entered when it gives.
 */
function setGiving(db: Database.Database, repo: Repo, gives: boolean): void {
  const { host, ownerId, visibility } = repo;
  const at = { host, githubId: String(repo.id), ownerId, visibility, name: `${repo.owner}/${repo.name}` };
  write(db, () => {
    if (!gives) {
      db.prepare("UPDATE repositories SET gives = 0 WHERE host = ? AND github_id = ?").run(host, at.githubId);
      return;
    }
    db.prepare(
      `INSERT INTO repositories (host, github_id, owner_id, visibility, full_name, version, gives)
       VALUES (@host, @githubId, @ownerId, @visibility, @name, @version, 1)
       ON CONFLICT (host, github_id) DO UPDATE SET gives = (owner_id IS @ownerId)`,
    ).run({ ...at, version: tick(db) });
  });
}

interface Row {
  readonly host: string;
  readonly github_id: string;
  readonly owner_id: number | null;
  readonly visibility: Repo["visibility"];
  readonly full_name: string;
}

/**
 * The repositories that something is remembered about, by host and name; those on their way out are not among them. The
 * owner id is 0 where it is in doubt.
 */
export function labelledRepositories(db: Database.Database): Repo[] {
  const rows = db
    .prepare(
      `SELECT host, github_id, owner_id, visibility, full_name FROM repositories
       WHERE host <> '' AND EXISTS (SELECT 1 FROM records r WHERE r.repo = repositories.id AND r.stale = 0)
       ORDER BY host, full_name COLLATE NOCASE, id`,
    )
    .all() as Row[];
  return rows.map(({ host, github_id: id, owner_id: ownerId, visibility, full_name: fullName }) => {
    const [owner = "", ...name] = fullName.split("/");
    return { host, id: Number(id), ownerId: ownerId ?? 0, owner, name: name.join("/"), visibility };
  });
}

/** The labels over an open memory (see openMemory). `relabel` throws Transient on a lock. */
export function sqliteLabels(db: Database.Database): RepositoryLabels {
  return {
    relabel: async (repo) => relabelRepository(db, repo),
    give: async (repo, gives) => setGiving(db, repo, gives),
    all: async () => labelledRepositories(db),
  };
}

/** The next version, for one write. */
export function tick(db: Database.Database): number {
  return db.prepare("UPDATE clock SET value = value + 1 RETURNING value").pluck().get() as number;
}
