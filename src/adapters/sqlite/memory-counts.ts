// How much is remembered in a scope, by language, corpus and outcome: from memory where the rows are there already, since
// SQLite takes a microsecond a row and every review asks.
import type { MemoryCounts, Scope } from "../../domain/retrieval.ts";
import { countsOf, type Group } from "../memory/counts-of.ts";
import { type SeenRows, seenRows } from "../memory/row-mask.ts";
import type { AdmittedRepository, Segment } from "../memory/segment.ts";
import type { Database } from "./database.ts";
import { prepared } from "./prepared.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Shelves } from "./shelves.ts";

/** By a scan of the file. */
export function countsInFile(db: Database.Database, scope: Scope): MemoryCounts {
  const { rows, values } = scopeSql(scope);
  const groups = prepared(
    db,
    `SELECT r.language, r.corpus, coalesce(r.outcome, 'none') AS outcome, count(*) AS n
       FROM repositories p CROSS JOIN records r ON r.repo = p.id WHERE ${rows} GROUP BY 1, 2, 3`,
  ).all(values) as Group[];
  return countsOf(groups);
}

/** By the rows in memory; the same figures. */
export function countsInMemory(
  scope: Scope,
  repositories: readonly AdmittedRepository[],
  shelves: Shelves,
): MemoryCounts {
  const groups = repositories.flatMap((repository) =>
    shelves.segments(repository).flatMap((segment) => groupsOf(segment, seenRows(segment, scope, {}, repository))),
  );
  return countsOf(groups);
}

function groupsOf(segment: Segment, { mask }: SeenRows): Group[] {
  const counts = new Uint32Array(segment.facets.length);
  for (let row = 0; row < mask.length; row += 1) {
    const facet = segment.facetOf[row] ?? 0;
    if (mask[row] !== 0) counts[facet] = (counts[facet] ?? 0) + 1;
  }
  return segment.facets.flatMap(({ language, corpus, outcome }, facet) => {
    const n = counts[facet] ?? 0;
    return n === 0 ? [] : [{ language, corpus, outcome: outcome ?? "none", n }];
  });
}
