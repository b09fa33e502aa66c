// Who may see what: a Scope as SQL. The only place that decides it here; every statement over memory carries this predicate.
import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";
import { splitRepoKey } from "../memory/repo-key.ts";
import { asks, pathMatcher } from "../memory/row-filter.ts";
import type { Sql } from "./sql.ts";

/** The parameters of a statement while it is put together. */
export interface Parameters {
  /** Adds a value and returns its name, `$3`. */
  readonly at: (value: unknown) => string;
  readonly values: unknown[];
}

export function parameters(): Parameters {
  const values: unknown[] = [];
  return { values, at: (value) => `$${values.push(value)}` };
}

export interface ScopeSql {
  /** Over `p` (repositories): the scope's own. */
  readonly own: string;
  /** Over `p`: which repositories may be searched at all. */
  readonly repositories: string;
  /** Over `p` and `r` (records): which rows may be seen. Contains `repositories`. */
  readonly rows: string;
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
export function scopeSql(scope: Scope, { at }: Parameters): ScopeSql {
  const key = splitRepoKey(scope.repo);
  if (key === null) throw new RangeError(`not a repository key: ${JSON.stringify(scope.repo)}`);
  const pool = scope.ownerPool;
  if (pool !== null && !Number.isSafeInteger(pool.ownerId)) throw new RangeError(`not an owner id: ${pool.ownerId}`);
  const host = at(key.host);
  const own = `(p.host = ${host} AND p.github_id = ${at(key.githubId)})`;
  const isPublic = pool?.targetIsPublic === true ? " AND p.visibility = 'public'" : "";
  const shared =
    pool === null ? "false" : `(p.host = ${host} AND p.owner_id = ${at(pool.ownerId)} AND p.gives${isPublic})`;
  const repositories = `(${own} OR ${shared})`;
  const rows = [
    repositories,
    "NOT r.stale",
    ...(scope.excludePull === null ? [] : [`NOT (${own} AND r.pull IS NOT DISTINCT FROM ${at(scope.excludePull)})`]),
    ...(scope.before === null ? [] : [`r.at < ${at(scope.before)}`]),
  ].join(" AND ");
  return { own, repositories, rows };
}

/**
 * A filter over `r` (records).
 *
 * @param paths the paths that the filter admits (see admittedPaths); null when it does not ask
 */
export function filterSql(filter: MemoryFilter, paths: readonly string[] | null, { at }: Parameters): string {
  const anyOf = (wanted: readonly string[] | undefined, columns: readonly string[]): string[] => {
    if (!asks(wanted)) return [];
    const list = at(wanted);
    return [`(${columns.map((column) => `r.${column} = ANY (${list}::text[])`).join(" OR ")})`];
  };
  const parts = [
    ...anyOf(filter.corpora, ["corpus"]),
    ...anyOf(filter.languages, ["language"]),
    // What was said in reviews has no chunk: its kind is what it is about and how much it matters.
    ...anyOf(filter.chunkTypes, ["chunk_type", "category", "severity"]),
    ...(paths === null ? [] : [`r.path = ANY (${at(paths)}::text[])`]),
  ];
  return parts.length === 0 ? "true" : parts.join(" AND ");
}

/** The paths in scope that a filter admits; null when it does not ask for paths. Globs are ours, not Postgres's. */
export async function admittedPaths(sql: Sql, scope: Scope, filter: MemoryFilter): Promise<readonly string[] | null> {
  const matches = pathMatcher(filter);
  if (matches === null) return null;
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const paths = await sql.all<{ path: string }>(
    `SELECT DISTINCT r.path FROM repositories p JOIN records r ON r.repo = p.id WHERE ${rows} AND r.path IS NOT NULL`,
    given.values,
  );
  return paths.map(({ path }) => path).filter(matches);
}
