// The repositories that something is remembered of, by the names that people know.
import type { Repo } from "../../domain/job.ts";
import type { Database } from "./database.ts";

interface Row {
  readonly host: string;
  readonly github_id: string;
  readonly owner_id: number | null;
  readonly visibility: Repo["visibility"];
  readonly full_name: string;
}

/** In the order of their names; those on their way out are not among them. */
export function knownRepositories(db: Database.Database): readonly Repo[] {
  const rows = db
    .prepare(
      `SELECT host, github_id, owner_id, visibility, full_name FROM repositories
       WHERE host <> '' AND EXISTS (SELECT 1 FROM records r WHERE r.repo = repositories.id AND r.stale = 0)
       ORDER BY full_name COLLATE NOCASE, host, id`,
    )
    .all() as Row[];
  return rows.map(({ host, github_id, owner_id, visibility, full_name }) => {
    const [owner = "", ...name] = full_name.split("/");
    return { host, id: Number(github_id), ownerId: owner_id ?? 0, owner, name: name.join("/"), visibility };
  });
}
