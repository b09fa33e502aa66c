// Who may see what: a Scope as SQL, the only place that decides it. Every query over memory carries this predicate.
import type { RepoKey } from "../../domain/memory.ts";
import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";
import { asks } from "../../search/filter.ts";
import type { Dialect } from "../dialect.ts";
import type { Values } from "../statement.ts";

export interface ScopeSql {
  /** Over `p` (repositories): the scope's own. */
  readonly own: string;
  /** Over `p`: which repositories may be searched at all. */
  readonly repositories: string;
  /** Over `p` and `r` (records): which rows may be seen. Contains `repositories`. */
  readonly rows: string;
}

/**
 * A scope as predicates: the own repository always; with an owner pool also repositories of the same owner on the same host that
 * give, and of those only the public ones when the target is public. Nothing of the excluded pull request of the own repository
 * (the same number elsewhere is another pull request), nothing said at or after `before`, nothing stale.
 *
 * A repository whose owner is in doubt has owner null and is in no pool.
 *
 * @throws RangeError for a scope that is not well-formed: better no answer than another owner's memory
 */
export function scopeSql(scope: Scope, { at }: Values): ScopeSql {
  const key = splitRepoKey(scope.repo);
  if (key === null) throw new RangeError(`not a repository key: ${JSON.stringify(scope.repo)}`);
  const pool = scope.ownerPool;
  if (pool !== null && !Number.isSafeInteger(pool.ownerId)) throw new RangeError(`not an owner id: ${pool.ownerId}`);
  const own = `(p.host = ${at(key.host)} AND p.github_id = ${at(key.githubId)})`;
  const parts = [own];
  if (pool !== null) {
    const isPublic = pool.targetIsPublic ? " AND p.visibility = 'public'" : "";
    parts.push(`(p.host = ${at(key.host)} AND p.owner_id = ${at(pool.ownerId)} AND p.gives = 1${isPublic})`);
  }
  const repositories = `(${parts.join(" OR ")})`;
  const rows = [repositories, "r.stale = 0"];
  if (scope.excludePull !== null) rows.push(`NOT (${own} AND r.pull IS NOT DISTINCT FROM ${at(scope.excludePull)})`);
  if (scope.before !== null) rows.push(`r.at < ${at(scope.before)}`);
  return { own, repositories, rows: rows.join(" AND ") };
}

/**
 * A filter over `r` (records).
 *
 * @param paths the paths that it admits, as globs are ours and not the database's; null when it does not ask for paths
 */
export function filterSql(
  filter: MemoryFilter,
  paths: readonly string[] | null,
  { among }: Dialect,
  { at }: Values,
): string {
  const parts: string[] = [];
  const anyOf = (wanted: readonly string[] | undefined, columns: readonly string[]) => {
    if (!asks(wanted)) return;
    const list = at(wanted);
    parts.push(`(${columns.map((column) => among(`r.${column}`, list, "text")).join(" OR ")})`);
  };
  anyOf(filter.corpora, ["corpus"]);
  anyOf(filter.languages, ["language"]);
  // What was said in reviews has no chunk: its kind is what it is about and how much it matters.
  anyOf(filter.chunkTypes, ["chunk_type", "category", "severity"]);
  if (paths !== null) parts.push(among("r.path", at(paths), "text"));
  return parts.length === 0 ? "1 = 1" : parts.join(" AND ");
}

/**
 * `github.com/42` → host and id; null when either is missing. The empty host is ours, for repositories that are being forgotten.
 */
export function splitRepoKey(key: RepoKey): { readonly host: string; readonly githubId: string } | null {
  const slash = key.indexOf("/");
  if (slash < 1 || slash === key.length - 1) return null;
  return { host: key.slice(0, slash), githubId: key.slice(slash + 1) };
}

/** The same as values of a statement; a key that names no repository finds none. */
export function repoValues(key: RepoKey): [host: string, githubId: string] {
  const split = splitRepoKey(key);
  return split === null ? ["", ""] : [split.host, split.githubId];
}
