// What a caller asked for within its scope, over rows that are held in memory: corpus, language, kind of chunk, path.

import { pathGlob } from "../config/path-glob.ts";
import type { Corpus, Outcome } from "../domain/memory.ts";
import type { MemoryFilter } from "../domain/retrieval.ts";

/** What a filter can ask about a row, beside its path, and what it is counted by. */
export interface Facet {
  readonly corpus: Corpus;
  readonly language: string;
  readonly chunkType: string | null;
  readonly category: string | null;
  readonly severity: string | null;
  readonly outcome: Outcome | null;
}

/** A filter over rows in memory, all but the path. */
export function facetMatcher(filter: MemoryFilter): (facet: Facet) => boolean {
  const wanted = (values: readonly string[] | undefined) => (asks(values) ? new Set<string>(values) : null);
  const [corpora, languages, kinds] = [wanted(filter.corpora), wanted(filter.languages), wanted(filter.chunkTypes)];
  const has = (set: Set<string> | null, ...values: readonly (string | null)[]) =>
    set === null || values.some((value) => value !== null && set.has(value));
  return (facet) =>
    has(corpora, facet.corpus) &&
    has(languages, facet.language) &&
    // What was said in reviews has no chunk: its kind is what it is about and how much it matters.
    has(kinds, facet.chunkType, facet.category, facet.severity);
}

/**
 * Admits a path that is named exactly, stands under a prefix that ends in `/`, or matches a glob; null when the filter
 * does not ask. A row without a path is not admitted by a filter that asks for paths.
 */
export function pathMatcher(filter: MemoryFilter): ((path: string | null) => boolean) | null {
  const paths = filter.paths;
  if (!asks(paths)) return null;
  const exact = new Set(paths);
  const prefixes = paths.filter((path) => path.endsWith("/"));
  const globs = paths.filter((path) => /[*?[{]/.test(path)).flatMap(compile);
  return (path) =>
    path !== null &&
    (exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)) || globs.some((matches) => matches(path)));
}

/** Absent or empty asks nothing. */
export function asks(values: readonly string[] | undefined): values is readonly string[] {
  return values !== undefined && values.length > 0;
}

/** A pattern that cannot be read still stands for the path that it spells. */
function compile(glob: string): ((path: string) => boolean)[] {
  const read = pathGlob(glob);
  return "problem" in read ? [] : [read.matches];
}
