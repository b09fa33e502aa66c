// Filters over rows in memory: corpus, language, chunk type, path.

import { globPattern } from "../config/patterns.ts";
import type { MemoryFilter } from "../domain/retrieval.ts";
import type { SearchRow } from "./rows.ts";

/** The fields of a row for filters and counts, without its path. */
export type Facet = Pick<SearchRow, "corpus" | "language" | "chunkType" | "category" | "severity" | "outcome">;

/** A predicate for a filter, without its paths. */
export function facetMatcher(filter: MemoryFilter): (facet: Facet) => boolean {
  const wanted = (values: readonly string[] | undefined) => (asks(values) ? new Set<string>(values) : null);
  const [corpora, languages, kinds] = [wanted(filter.corpora), wanted(filter.languages), wanted(filter.chunkTypes)];
  const has = (set: Set<string> | null, ...values: readonly (string | null)[]) =>
    set === null || values.some((value) => value !== null && set.has(value));
  return (facet) =>
    has(corpora, facet.corpus) &&
    has(languages, facet.language) &&
    // Review memories have no chunk type: category and severity take its place.
    has(kinds, facet.chunkType, facet.category, facet.severity);
}

/**
 * A predicate that accepts an exact path, a path under a prefix that ends in `/`, or a match of a
 * glob; null without a path filter. A path filter never accepts a row without a path.
 */
export function pathMatcher(filter: MemoryFilter): ((path: string | null) => boolean) | null {
  const paths = filter.paths;
  if (!asks(paths)) return null;
  const exact = new Set(paths);
  const prefixes = paths.filter((path) => path.endsWith("/"));
  // An invalid pattern still matches its literal path.
  const globs = paths.filter((path) => /[*?[{]/.test(path)).map((path) => globPattern(path));
  return (path) =>
    path !== null &&
    (exact.has(path) ||
      prefixes.some((prefix) => path.startsWith(prefix)) ||
      globs.some((glob) => "matches" in glob && glob.matches(path)));
}

/** Absent or empty means no filter. */
export function asks(values: readonly string[] | undefined): values is readonly string[] {
  return values !== undefined && values.length > 0;
}
