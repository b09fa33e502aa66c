// Which rows of a segment a search may weigh and tell.
import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";
import { facetMatcher, pathMatcher } from "./row-filter.ts";
import { scopeAdmits } from "./scope-admits.ts";
import type { AdmittedRepository, Segment } from "./segment.ts";

/** The row is alive (as in a segment) and in scope: it counts for how rare a word is. */
export const IN_SCOPE = 1;
/** The row may also be told: the filter admits it. */
export const ADMITTED = 2;

/** What holds for all questions of one scope and filter about a segment. */
export interface SeenRows {
  /** IN_SCOPE and ADMITTED bits for each row. */
  readonly mask: Uint8Array;
  /** Rows that are not IN_SCOPE, ascending: few, as a rule. */
  readonly outside: Uint32Array;
}

/** Scopes and filters remembered for each segment: a review asks twenty times with one, and few reviews run at once. */
const REMEMBERED = 4;
const remembered = new WeakMap<Segment, Map<string, SeenRows>>();

/**
 * What a scope and filter let be seen of a segment, worked out once for each version of the repository.
 *
 * @param repository the segment's; repositories that the scope does not admit must not come here at all
 */
export function seenRows(
  segment: Segment,
  scope: Scope,
  filter: MemoryFilter,
  { own, version }: Pick<AdmittedRepository, "own" | "version">,
): SeenRows {
  const known = remembered.get(segment) ?? new Map<string, SeenRows>();
  remembered.set(segment, known);
  const key = JSON.stringify([version, own, scope.excludePull, scope.before, filter]);
  const seen = known.get(key) ?? lookedAt(segment, scope, filter, own);
  known.delete(key);
  known.set(key, seen);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
  return seen;
}

function lookedAt(segment: Segment, scope: Scope, filter: MemoryFilter, own: boolean): SeenRows {
  const admits = filterMatcher(segment, filter);
  const mask = segment.alive.slice();
  const outside: number[] = [];
  for (let row = 0; row < mask.length; row += 1) {
    if (!scopeAdmits(scope, own, segment.pulls[row] ?? -1, segment.times[row] ?? 0)) mask[row] = 0;
    else if (mask[row] === 1 && admits(row)) mask[row] = IN_SCOPE | ADMITTED;
    if (mask[row] === 0) outside.push(row);
  }
  return { mask, outside: Uint32Array.from(outside) };
}

/** A filter asked once for each facet and path that occur, not for each row. */
function filterMatcher(segment: Segment, filter: MemoryFilter): (row: number) => boolean {
  const matchesPath = pathMatcher(filter);
  const facets = segment.facets.map(facetMatcher(filter));
  const paths = matchesPath === null ? null : segment.paths.map(matchesPath);
  return (row) =>
    facets[segment.facetOf[row] ?? 0] === true && (paths === null || paths[segment.pathOf[row] ?? 0] === true);
}
