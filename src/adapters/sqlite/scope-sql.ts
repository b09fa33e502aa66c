// Who may see what: a Scope as SQL. The only place that decides it; every query over memory carries this predicate.
import type { Scope } from "../../domain/retrieval.ts";
import { splitRepoKey } from "../memory/repo-key.ts";

/** Named parameters for better-sqlite3. */
export type SqlValues = Readonly<Record<string, string | number | null | Uint8Array>>;

export interface ScopeSql {
  /** Over `p` (repositories): which repositories may be searched at all. */
  readonly repositories: string;
  /**
   * Over `p` and `r` (records): which rows may be seen. Contains `repositories`. Queries join with CROSS JOIN, which in
   * SQLite fixes the order: the planner, left alone, walks all rows of a repository to find one by its id.
   */
  readonly rows: string;
  readonly values: SqlValues;
}

/**
 * A scope as predicates: the own repository always; with an owner pool also repositories of the same owner on the same
 * host that give, and of those only the public ones when the target is public. Nothing of the excluded pull request of the own
 * repository (the same number elsewhere is another pull request), nothing said at or after `before`, nothing stale.
 *
 * A repository whose owner is in doubt has owner null and is in no pool.
 *
 * @throws RangeError for a scope that is not well-formed: better no answer than somebody else's
 */
export function scopeSql(scope: Scope): ScopeSql {
  const key = splitRepoKey(scope.repo);
  if (key === null) throw new RangeError(`not a repository key: ${JSON.stringify(scope.repo)}`);
  const pool = scope.ownerPool;
  if (pool !== null && !Number.isSafeInteger(pool.ownerId)) throw new RangeError(`not an owner id: ${pool.ownerId}`);
  const own = "(p.host = @host AND p.github_id = @githubId)";
  const shared =
    pool === null
      ? "0"
      : `(p.host = @host AND p.owner_id = @ownerId AND p.gives = 1${pool.targetIsPublic ? " AND p.visibility = 'public'" : ""})`;
  const repositories = `(${own} OR ${shared})`;
  const rows = [
    repositories,
    "r.stale = 0",
    scope.excludePull === null ? "1" : `NOT (${own} AND r.pull IS @excludePull)`,
    scope.before === null ? "1" : "r.at < @before",
  ].join(" AND ");
  const values: Record<string, string | number | null> = { host: key.host, githubId: key.githubId };
  if (pool !== null) values.ownerId = pool.ownerId;
  if (scope.excludePull !== null) values.excludePull = scope.excludePull;
  if (scope.before !== null) values.before = scope.before;
  return { repositories, rows, values };
}
