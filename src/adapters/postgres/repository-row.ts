// The row of a repository: which it is, and the version that goes up with each change of what is remembered of it.
import type { RepoKey } from "../../domain/memory.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import type { Sql } from "./sql.ts";

/** Host and id; the empty host is no repository. */
export function keyOf(repo: RepoKey): readonly [host: string, githubId: string] {
  const key = splitRepoKey(repo);
  return key === null ? ["", ""] : [key.host, key.githubId];
}

/** The row's id; null when nothing is remembered of it. */
export async function repositoryId(sql: Sql, repo: RepoKey): Promise<number | null> {
  const row = await sql.one<{ id: number }>("SELECT id FROM repositories WHERE host = $1 AND github_id = $2", [
    ...keyOf(repo),
  ]);
  return row?.id ?? null;
}

/**
 * The next version of a repository, in the transaction that changes what is remembered of it. The row is locked to the end of the
 * transaction, so that versions ascend in the order in which others come to see them. Null when there is none.
 */
export async function nextVersion(sql: Sql, repo: RepoKey): Promise<{ id: number; version: number } | null> {
  await sql.one("SELECT 1 FROM repositories WHERE host = $1 AND github_id = $2 FOR UPDATE", [...keyOf(repo)]);
  return sql.one(
    `UPDATE repositories SET version = nextval('memory_clock') WHERE host = $1 AND github_id = $2 RETURNING id, version`,
    [...keyOf(repo)],
  );
}

/** Row ids of memories of this repository, by name; those of other repositories are not among them. */
export async function recordIds(
  sql: Sql,
  repo: RepoKey,
  memoryIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.all<{ id: number; mem: string }>(
    `SELECT r.id, r.mem FROM records r JOIN repositories p ON p.id = r.repo
     WHERE r.mem = ANY ($3::text[]) AND p.host = $1 AND p.github_id = $2`,
    [...keyOf(repo), [...new Set(memoryIds)]],
  );
  return new Map(rows.map(({ id, mem }) => [mem, id]));
}
