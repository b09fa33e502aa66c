// One repository in memory: the fields of its rows for scopes and filters, and their terms. Rows
// are ordered by corpus, then by time, so that a corpus is a range of rows, and the rows before a
// date are the beginning of that range.
import { setImmediate } from "node:timers/promises";
import { firstNotBefore } from "../domain/first-not-before.ts";
import { CORPORA, type Corpus } from "../domain/memory.ts";
import type { MemoryFilter, Scope } from "../domain/retrieval.ts";
import { type Facet, facetMatcher, pathMatcher } from "./filter.ts";
import { type AddedTerms, addedTerms, mergePostings, type Postings, postingBytes, vocabulary } from "./postings.ts";
import type { Admitted, ChangedAfter, Rows, SearchRow } from "./rows.ts";

export interface RepositoryIndex {
  readonly version: number;
  /** Row ids of the store. */
  readonly ids: Float64Array;
  /** The version that wrote the row last. */
  readonly changed: Float64Array;
  readonly mems: readonly string[];
  /** Pull request numbers, −1 for none. */
  readonly pulls: Float64Array;
  readonly times: Float64Array;
  /** Indexes into `facets` and `paths`, which hold distinct values. */
  readonly facetOf: Uint32Array;
  readonly pathOf: Uint32Array;
  readonly facets: readonly Facet[];
  readonly paths: readonly (string | null)[];
  readonly postings: Postings;
  /** Each corpus's rows: from and to (exclusive). */
  readonly stretches: ReadonlyMap<Corpus, readonly [from: number, to: number]>;
  /** Old rows left out because of the limit. */
  readonly leftOut: number;
}

export type IndexedRepository = { readonly repository: Admitted; readonly index: RepositoryIndex };

const PAGE = 5_000;

/**
 * The current index of a repository. With an older one it reads only the changes.
 *
 * @param before the older index; null reads all rows
 * @param most limit of rows; keeps the newest
 */
export async function readIndex(
  rows: Rows,
  { id, version, rows: living }: Admitted,
  before: RepositoryIndex | null,
  most: number,
): Promise<RepositoryIndex> {
  // Above the limit the kept rows shift with each write, so everything is read again.
  const base = living > most || before === null || before.leftOut > 0 ? null : before;
  const added = addedRows(base);
  const oldest = living > most ? await rows.newest(id, most) : 0;
  let after: ChangedAfter = { changed: base?.version ?? -1, id: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const page = await rows.changed(id, after, oldest, PAGE);
    added.add(page);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last;
    // SQLite answers at once: without this nothing else would run until a large index is read.
    await setImmediate();
  }
  const kept = base === null ? [] : await keptRows(rows, id, base, new Set(added.ids), living);
  return arranged(version, base, kept, added, Math.max(0, living - kept.length - added.ids.length));
}

function addedRows(base: RepositoryIndex | null) {
  const columns = { ids: [], changed: [], pulls: [], times: [], facetOf: [], pathOf: [] } as Record<Column, number[]>;
  const [facets, paths] = [numbered<Facet>(base?.facets ?? []), numbered<string | null>(base?.paths ?? [])];
  const words = base?.postings.vocabulary ?? vocabulary();
  const [mems, terms]: [string[], AddedTerms[]] = [[], []];
  return {
    ...columns,
    mems,
    terms,
    words,
    facets: facets.values,
    paths: paths.values,
    add(page: readonly SearchRow[]): void {
      for (const row of page) {
        const { corpus, language, chunkType, category, severity, outcome } = row;
        columns.ids.push(row.id);
        columns.changed.push(row.changed);
        columns.pulls.push(row.pull ?? -1);
        columns.times.push(row.at);
        columns.facetOf.push(facets.numberOf({ corpus, language, chunkType, category, severity, outcome }));
        columns.pathOf.push(paths.numberOf(row.path));
        mems.push(row.mem);
      }
      const ofPage = page.map((row) => row.terms);
      terms.push(addedTerms(words, ofPage));
    },
  };
}

/** Numbers distinct values, compared by their JSON. */
function numbered<T>(known: readonly T[]) {
  const values = [...known];
  const numbers = new Map(known.map((value, number) => [JSON.stringify(value), number]));
  return {
    values,
    numberOf(value: T): number {
      const key = JSON.stringify(value);
      const number = numbers.get(key) ?? values.push(value) - 1;
      numbers.set(key, number);
      return number;
    },
  };
}

async function keptRows(
  rows: Rows,
  repository: number,
  before: RepositoryIndex,
  changed: ReadonlySet<number>,
  living: number,
): Promise<number[]> {
  const unchanged: number[] = [];
  for (let row = 0; row < before.ids.length; row += 1) if (!changed.has(before.ids[row] ?? 0)) unchanged.push(row);
  if (unchanged.length + changed.size === living) return unchanged;
  const alive = new Set(await rows.living(repository));
  return unchanged.filter((row) => alive.has(before.ids[row] ?? 0));
}

/** Sorts kept and added rows by corpus, then by time, then by id. */
function arranged(
  version: number,
  before: RepositoryIndex | null,
  kept: readonly number[],
  added: ReturnType<typeof addedRows>,
  leftOut: number,
): RepositoryIndex {
  const size = kept.length + added.ids.length;
  /** A column of the kept rows, followed by the added ones. */
  const both = (name: Column) => {
    const old = before?.[name] ?? [];
    const column = new Float64Array(size);
    kept.forEach((row, at) => {
      column[at] = old[row] ?? 0;
    });
    column.set(added[name], kept.length);
    return column;
  };
  const all = { ids: both("ids"), times: both("times"), facetOf: both("facetOf") };
  const { facets, paths, words } = added;
  const corpusOf = facets.map(({ corpus }) => CORPORA.indexOf(corpus));
  const corpora = Uint8Array.from(all.facetOf, (facet) => corpusOf[facet] ?? 0);
  // The kept rows are sorted already, which makes this fast.
  const order = Array.from(corpora.keys()).sort(
    (one, other) =>
      (corpora[one] ?? 0) - (corpora[other] ?? 0) ||
      (all.times[one] ?? 0) - (all.times[other] ?? 0) ||
      (all.ids[one] ?? 0) - (all.ids[other] ?? 0),
  );
  const placed = <Into extends Float64Array | Uint32Array>(from: Float64Array, into: Into): Into => {
    for (let at = 0; at < size; at += 1) into[at] = from[order[at] ?? 0] ?? 0;
    return into;
  };
  const keptAt = new Int32Array(before?.ids.length ?? 0).fill(-1);
  const addedAt = new Int32Array(added.ids.length);
  const mems = new Array<string>(size);
  const stretches = new Map<Corpus, [number, number]>();
  order.forEach((from, at) => {
    const row = kept[from];
    if (row === undefined) addedAt[from - kept.length] = at;
    else keptAt[row] = at;
    mems[at] = (row === undefined ? added.mems[from - kept.length] : before?.mems[row]) ?? "";
    const corpus = CORPORA[corpora[from] ?? 0];
    if (corpus !== undefined) stretches.set(corpus, [stretches.get(corpus)?.[0] ?? at, at + 1]);
  });
  return {
    version,
    ids: placed(all.ids, new Float64Array(size)),
    changed: placed(both("changed"), new Float64Array(size)),
    pulls: placed(both("pulls"), new Float64Array(size)),
    times: placed(all.times, new Float64Array(size)),
    facetOf: placed(all.facetOf, new Uint32Array(size)),
    pathOf: placed(both("pathOf"), new Uint32Array(size)),
    mems,
    facets,
    paths,
    postings: mergePostings(words, size, before?.postings ?? null, keptAt, added.terms, addedAt),
    stretches,
    leftOut,
  };
}

const COLUMNS = ["ids", "changed", "pulls", "times", "facetOf", "pathOf"] as const;
type Column = (typeof COLUMNS)[number];

/** 1 for each row in scope, which counts for statistics, and for each admitted one. */
export interface VisibleRows {
  readonly inScope: Uint8Array;
  /** In scope and admitted by the filter. */
  readonly admitted: Uint8Array;
}

/** The repository's rows that the scope admits. The store checks them again before returning. */
export function visibleRows(index: RepositoryIndex, scope: Scope, filter: MemoryFilter, isOwn: boolean): VisibleRows {
  const { times, pulls, facets, facetOf, paths, pathOf } = index;
  const inScope = new Uint8Array(times.length).fill(1);
  if (scope.before !== null)
    for (const [from, to] of index.stretches.values())
      inScope.fill(0, from + firstNotBefore(times.subarray(from, to), (time) => time, scope.before), to);
  if (isOwn && scope.excludePull !== null)
    for (let row = pulls.indexOf(scope.excludePull); row >= 0; row = pulls.indexOf(scope.excludePull, row + 1))
      inScope[row] = 0;
  const [matchesFacet, matchesPath] = [facetMatcher(filter), pathMatcher(filter)];
  const byFacet = facets.map((facet) => (matchesFacet(facet) ? 1 : 0));
  const byPath = matchesPath === null ? null : paths.map((path) => (matchesPath(path) ? 1 : 0));
  if (byPath === null && !byFacet.includes(0)) return { inScope, admitted: inScope };
  const admitted = inScope.slice();
  for (let row = 0; row < admitted.length; row += 1)
    if (byFacet[facetOf[row] ?? 0] === 0 || byPath?.[pathOf[row] ?? 0] === 0) admitted[row] = 0;
  return { inScope, admitted };
}

/** Memory use in bytes: exact for typed arrays, estimated for strings. */
export function indexBytes(index: RepositoryIndex): number {
  const { mems, paths, postings } = index;
  const arrays = COLUMNS.reduce((sum, name) => sum + index[name].byteLength, 0);
  return arrays + mems.length * NAME_BYTES + paths.length * PATH_BYTES + postingBytes(postings);
}

/** A string of 16 characters with its array slot; a path of about 60. */
const NAME_BYTES = 40;
const PATH_BYTES = 100;
