// The last word on what may be told: whatever was found in memory, the file is asked before it leaves.
import { filterSql } from "./filter-rows.ts";
import { prepared } from "./prepared.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Search } from "./search.ts";

/**
 * Of these rows, by id, those that scope and filter admit, with the names by which they are told. One statement for all:
 * starting one takes as long as twenty rows.
 */
export function toldRows(search: Search, ids: Iterable<number>): ReadonlyMap<number, string> {
  const scope = scopeSql(search.scope);
  const filter = filterSql(search.filter);
  const rows = prepared(
    search.db,
    `SELECT r.id, r.mem FROM json_each(@ids) j CROSS JOIN records r ON r.id = j.value CROSS JOIN repositories p ON p.id = r.repo
       WHERE ${scope.rows} AND ${filter.rows}`,
  )
    .raw()
    .all({ ...scope.values, ...filter.values, ids: JSON.stringify([...ids]) }) as [number, string][];
  return new Map(rows);
}
