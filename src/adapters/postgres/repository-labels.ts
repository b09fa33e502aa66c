// To whom a repository belongs and who may read it. Writing a memory can only narrow that; widening takes a fresh fact.
import type { Repo } from "../../domain/job.ts";
import { repoKey } from "../../domain/memory.ts";
import type { RepositoryLabels } from "../../ports/memory.ts";
import { nextVersion } from "./repository-row.ts";
import type { Postgres } from "./sql.ts";

/** The labels over an open database. */
export function postgresLabels(db: Postgres): RepositoryLabels {
  return {
    relabel: (repo) => relabel(db, repo),
    give: (repo, gives) => give(db, repo, gives),
    all: () => labelled(db),
  };
}

/** All rows of the repository are seen by the new rules from the next search on. What one owner gave is not the next one's. */
function relabel(db: Postgres, repo: Repo): Promise<boolean> {
  return db.transaction(async (sql) => {
    const at = await nextVersion(sql, repoKey(repo));
    if (at === null) return false;
    await sql.run(
      `UPDATE repositories SET gives = CASE WHEN owner_id = $2 THEN gives ELSE false END, owner_id = $2, visibility = $3,
         full_name = $4 WHERE id = $1`,
      [at.id, repo.ownerId, repo.visibility, `${repo.owner}/${repo.name}`],
    );
    return true;
  });
}

/** A repository of which nothing is remembered yet is entered when it gives. */
async function give(db: Postgres, repo: Repo, gives: boolean): Promise<void> {
  const key = [repo.host, String(repo.id)];
  if (!gives) {
    await db.run("UPDATE repositories SET gives = false WHERE host = $1 AND github_id = $2", key);
    return;
  }
  await db.run(
    `INSERT INTO repositories AS p (host, github_id, owner_id, visibility, full_name, version, gives)
     VALUES ($1, $2, $3, $4, $5, nextval('memory_clock'), true)
     ON CONFLICT (host, github_id) DO UPDATE SET gives = p.owner_id IS NOT DISTINCT FROM excluded.owner_id`,
    [...key, repo.ownerId, repo.visibility, `${repo.owner}/${repo.name}`],
  );
}

interface Row {
  readonly host: string;
  readonly github_id: string;
  readonly owner_id: number | null;
  readonly visibility: Repo["visibility"];
  readonly full_name: string;
}

/** Those on their way out are not among them. The owner id is 0 where it is in doubt. */
async function labelled(db: Postgres): Promise<readonly Repo[]> {
  const rows = await db.all<Row>(
    `SELECT host, github_id, owner_id, visibility, full_name FROM repositories p
     WHERE host <> '' AND EXISTS (SELECT 1 FROM records r WHERE r.repo = p.id AND NOT r.stale)
     ORDER BY host COLLATE "C", lower(full_name) COLLATE "C", id`,
  );
  return rows.map(({ host, github_id: id, owner_id: ownerId, visibility, full_name: fullName }) => {
    const [owner = "", ...name] = fullName.split("/");
    return { host, id: Number(id), ownerId: ownerId ?? 0, owner, name: name.join("/"), visibility };
  });
}
