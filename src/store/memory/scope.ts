// Translates a Scope to SQL: the only place that decides visibility, for every query over memory.
import type { RepoKey } from "../../domain/memory.ts";
import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";
import { asks } from "../../search/filter.ts";
import type { Dialect } from "../dialect.ts";
import type { Values } from "../statement.ts";

/**
 * A scope as predicates: always the own repository; with an owner pool also sharing repositories of
 * the same owner on the same host, only public ones if the target is public. It excludes the own
 * repository's excluded pull request, memories from `before` on, and stale ones.
 * A repository with a doubtful owner has owner null and is in no pool.
 * @returns over `p` (repositories) the `own` one and all searchable `repositories`; over `p` and
 *   `r` (records) the visible `rows`, which includes `repositories`
 * @throws RangeError for a malformed scope: no answer is better than another owner's memory
 */
export function scopeSql(scope: Scope, { at }: Pick<Values, "at">) {
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
 * @param paths that match, because the database does not know our globs; null without a path filter
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
  // Review memories have no chunk type: category and severity take its place.
  anyOf(filter.chunkTypes, ["chunk_type", "category", "severity"]);
  if (paths !== null) parts.push(among("r.path", at(paths), "text"));
  return parts.length === 0 ? "1 = 1" : parts.join(" AND ");
}

/** `github.com/42` → host and id; null when either is missing, as of one that is being removed. */
export function splitRepoKey(key: RepoKey): { readonly host: string; readonly githubId: string } | null {
  const slash = key.indexOf("/");
  if (slash < 1 || slash === key.length - 1) return null;
  return { host: key.slice(0, slash), githubId: key.slice(slash + 1) };
}

/** The same as values of a statement; an invalid key matches no repository. */
export function repoValues(key: RepoKey): [host: string, githubId: string] {
  const split = splitRepoKey(key);
  return split === null ? ["", ""] : [split.host, split.githubId];
}
