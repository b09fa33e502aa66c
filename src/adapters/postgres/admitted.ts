// Which repositories a scope admits, with as many rows as each has; and the last word on what may be told.
import { LRUCache } from "lru-cache";
import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";
import type { AdmittedRepository } from "../memory/segment.ts";
import { filterSql, parameters, scopeSql } from "./scope-sql.ts";
import type { Sql } from "./sql.ts";

export interface CountedRepository extends AdmittedRepository {
  /** Memories that are not stale. */
  readonly rows: number;
}

/** Looks repositories up; rows are counted once for each version of a repository. */
export function repositoryLookUp(): (sql: Sql, scope: Scope) => Promise<readonly CountedRepository[]> {
  const known = new LRUCache<string, number>({ max: 10_000 });
  return async (sql, scope) => {
    const given = parameters();
    const { own, repositories } = scopeSql({ ...scope, excludePull: null, before: null }, given);
    const rows = await sql.all<AdmittedRepository>(
      `SELECT p.id, p.version, ${own} AS own FROM repositories p WHERE ${repositories} ORDER BY p.id`,
      given.values,
    );
    const uncounted = rows.filter(({ id, version }) => !known.has(`${id} ${version}`));
    if (uncounted.length > 0) {
      const counts = await sql.all<{ repo: number; n: number }>(
        "SELECT repo, count(*) AS n FROM records WHERE repo = ANY ($1::bigint[]) AND NOT stale GROUP BY repo",
        [uncounted.map(({ id }) => id)],
      );
      const byId = new Map(counts.map(({ repo, n }) => [repo, n]));
      for (const { id, version } of uncounted) known.set(`${id} ${version}`, byId.get(id) ?? 0);
    }
    return rows.map((row) => ({ ...row, rows: known.get(`${row.id} ${row.version}`) ?? 0 }));
  };
}

/** Of these rows, by id, those that scope and filter admit, with the names by which they are told. */
export async function toldRows(
  sql: Sql,
  scope: Scope,
  filter: MemoryFilter,
  paths: readonly string[] | null,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const admitted = filterSql(filter, paths, given);
  const found = await sql.all<{ id: number; mem: string }>(
    `SELECT r.id, r.mem FROM records r JOIN repositories p ON p.id = r.repo
     WHERE r.id = ANY (${given.at(ids)}::bigint[]) AND ${rows} AND ${admitted}`,
    given.values,
  );
  return new Map(found.map(({ id, mem }) => [id, mem]));
}
