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

/** Scopes remembered for each segment, and filters for each scope: a review asks twenty times with one, and few run at once. */
const REMEMBERED = { scopes: 4, filters: 2 };
const rememberedScopes = new WeakMap<Segment, Map<string, SeenRows>>();
const rememberedFilters = new WeakMap<SeenRows, Map<string, SeenRows>>();

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
  const ofScope = JSON.stringify([version, own, scope.excludePull, scope.before]);
  const inScope = remembered(rememberedScopes, segment, ofScope, REMEMBERED.scopes, () =>
    rowsInScope(segment, scope, own),
  );
  return remembered(rememberedFilters, inScope, JSON.stringify(filter), REMEMBERED.filters, () =>
    admittedRows(segment, inScope, filter),
  );
}

function remembered<Of extends object>(
  all: WeakMap<Of, Map<string, SeenRows>>,
  of: Of,
  key: string,
  most: number,
  work: () => SeenRows,
): SeenRows {
  const known = all.get(of) ?? new Map<string, SeenRows>();
  all.set(of, known);
  const seen = known.get(key) ?? work();
  known.delete(key);
  known.set(key, seen);
  const [oldest] = known.keys();
  if (known.size > most && oldest !== undefined) known.delete(oldest);
  return seen;
}

function rowsInScope({ alive, pulls, times }: Segment, scope: Scope, own: boolean): SeenRows {
  const mask = alive.slice();
  let out = 0;
  for (let row = 0; row < mask.length; row += 1) {
    if (!scopeAdmits(scope, own, pulls[row] ?? -1, times[row] ?? 0)) mask[row] = 0;
    out += 1 - (mask[row] ?? 0);
  }
  const outside = new Uint32Array(out);
  for (let row = mask.length - 1; out > 0; row -= 1) {
    if (mask[row] === 1) continue;
    out -= 1;
    outside[out] = row;
  }
  return { mask, outside };
}

/** A filter is asked once for each facet and path that occur; of rows there may be a million. */
function admittedRows(segment: Segment, inScope: SeenRows, filter: MemoryFilter): SeenRows {
  const { facetOf, pathOf } = segment;
  const [matchesFacet, matchesPath] = [facetMatcher(filter), pathMatcher(filter)];
  const facets = Uint8Array.from(segment.facets, (facet) => (matchesFacet(facet) ? ADMITTED : 0));
  const mask = inScope.mask.slice();
  for (let row = 0; row < mask.length; row += 1) {
    if (mask[row] === IN_SCOPE) mask[row] = IN_SCOPE | (facets[facetOf[row] ?? 0] ?? 0);
  }
  if (matchesPath === null) return { mask, outside: inScope.outside };
  const paths = Uint8Array.from(segment.paths, (path) => (matchesPath(path) ? IN_SCOPE | ADMITTED : IN_SCOPE));
  for (let row = 0; row < mask.length; row += 1) mask[row] = (mask[row] ?? 0) & (paths[pathOf[row] ?? 0] ?? 0);
  return { mask, outside: inScope.outside };
}
