// Which rows of a segment a search may weigh and tell.
import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";
import { facetMatcher, pathMatcher } from "./filter-rows.ts";
import { scopeAdmits } from "./scope-sql.ts";
import type { Segment } from "./segment.ts";

/** The row is alive (as in a segment) and in scope: it counts for how rare a word is. */
export const IN_SCOPE = 1;
/** The row may also be told: the filter admits it. */
export const ADMITTED = 2;

/**
 * IN_SCOPE and ADMITTED bits for each row of a segment.
 *
 * @param own whether the segment's repository is the scope's own; repositories that the scope does not admit must not
 *   come here at all
 */
export function rowMask(segment: Segment, scope: Scope, filter: MemoryFilter, own: boolean): Uint8Array {
  const admits = filterMatcher(segment, filter);
  const mask = segment.alive.slice();
  for (let row = 0; row < mask.length; row += 1) {
    if (!scopeAdmits(scope, own, segment.pulls[row] ?? -1, segment.times[row] ?? 0)) mask[row] = 0;
    else if (mask[row] === 1 && admits(row)) mask[row] = IN_SCOPE | ADMITTED;
  }
  return mask;
}

/** A filter asked once for each facet and path that occur, not for each row. */
function filterMatcher(segment: Segment, filter: MemoryFilter): (row: number) => boolean {
  const matchesPath = pathMatcher(filter);
  const facets = segment.facets.map(facetMatcher(filter));
  const paths = matchesPath === null ? null : segment.paths.map(matchesPath);
  return (row) =>
    facets[segment.facetOf[row] ?? 0] === true && (paths === null || paths[segment.pathOf[row] ?? 0] === true);
}
