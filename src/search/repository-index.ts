// One repository in memory: what scopes and filters ask about its rows, and their terms. Rows are by corpus, then by time, so that
// a corpus is one stretch of rows and what was said before a date the beginning of it.
import { CORPORA, type Corpus } from "../domain/memory.ts";
import type { MemoryFilter, Scope } from "../domain/retrieval.ts";
import { type Facet, facetMatcher, pathMatcher } from "./filter.ts";
import { type AddedTerms, addedTerms, mergePostings, type Postings, postingBytes, vocabulary } from "./postings.ts";
import type { Admitted, Rows, SearchRow } from "./rows.ts";

export interface RepositoryIndex {
  readonly version: number;
  /** Row ids of the store. */
  readonly ids: Float64Array;
  /** The version that wrote the row last. */
  readonly changed: Float64Array;
  /** The records' ids. */
  readonly mems: readonly string[];
  /** Pull request numbers, −1 for none. */
  readonly pulls: Float64Array;
  readonly times: Float64Array;
  /** Places in `facets` and `paths`, where each value is once. */
  readonly facetOf: Uint32Array;
  readonly pathOf: Uint32Array;
  readonly facets: readonly Facet[];
  readonly paths: readonly (string | null)[];
  readonly postings: Postings;
  /** Each corpus's rows: from and to (exclusive). */
  readonly stretches: ReadonlyMap<Corpus, readonly [from: number, to: number]>;
  /** Rows of the repository that are too old to be held. */
  readonly leftOut: number;
}

/** A repository that a scope admits, with what is held of it. */
export interface IndexedRepository {
  readonly repository: Admitted;
  readonly index: RepositoryIndex;
}

/** Rows that are read at once. */
const PAGE = 5_000;

/**
 * The index of a repository as it is now, made from an older one where there is one: only what changed is read.
 *
 * @param before of an older version; null reads all rows
 * @param most rows that may be held: the newest
 */
export async function readIndex(
  rows: Rows,
  { id, version, rows: living }: Admitted,
  before: RepositoryIndex | null,
  most: number,
): Promise<RepositoryIndex> {
  // What is held of a repository beyond the bound moves with each write.
  const base = living > most || before === null || before.leftOut > 0 ? null : before;
  const words = base?.postings.vocabulary ?? vocabulary();
  const added = addedRows(addedTerms(words));
  let after = living > most ? await rows.newest(id, most) : 0;
  for (;;) {
    const page = await rows.changed(id, base?.version ?? -1, after, PAGE);
    for (const row of page) added.add(row);
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) break;
  }
  const kept = base === null ? [] : await keptRows(rows, id, base, new Set(added.rows.map((row) => row.id)), living);
  return merged(version, base, kept, added, words, Math.max(0, living - kept.length - added.rows.length));
}

type Facts = Omit<SearchRow, "terms">;

function addedRows(terms: AddedTerms) {
  const rows: Facts[] = [];
  return {
    rows,
    terms,
    add({ terms: bytes, ...facts }: SearchRow): void {
      rows.push(facts);
      terms.add(bytes);
    },
  };
}

/** Rows of the older index that are neither changed nor deleted. */
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

function merged(
  version: number,
  before: RepositoryIndex | null,
  kept: readonly number[],
  added: ReturnType<typeof addedRows>,
  words: Postings["vocabulary"],
  leftOut: number,
): RepositoryIndex {
  const size = kept.length + added.rows.length;
  const keptAt = new Int32Array(before?.ids.length ?? 0).fill(-1);
  const addedAt = new Int32Array(added.rows.length);
  const facets = interned<Facet>(before?.facets ?? []);
  const paths = interned<string | null>(before?.paths ?? []);
  const columns = {
    ids: new Float64Array(size),
    changed: new Float64Array(size),
    pulls: new Float64Array(size),
    times: new Float64Array(size),
    facetOf: new Uint32Array(size),
    pathOf: new Uint32Array(size),
  };
  const mems = new Array<string>(size);
  const corpora = new Uint8Array(size);
  const keep = (row: number, at: number, from: RepositoryIndex) => {
    for (const name of COLUMNS) columns[name][at] = from[name][row] ?? 0;
    mems[at] = from.mems[row] ?? "";
    keptAt[row] = at;
  };
  const add = (place: number, at: number) => {
    const row = added.rows[place];
    if (row === undefined) return;
    const { corpus, language, chunkType, category, severity, outcome } = row;
    columns.ids[at] = row.id;
    columns.changed[at] = row.changed;
    columns.pulls[at] = row.pull ?? -1;
    columns.times[at] = row.at;
    columns.facetOf[at] = facets.placeOf({ corpus, language, chunkType, category, severity, outcome });
    columns.pathOf[at] = paths.placeOf(row.path);
    mems[at] = row.mem;
    addedAt[place] = at;
  };
  // Both lists are in order: the rows of the older index are, and the added ones are sorted here.
  const sorted = [...added.rows.keys()].sort((one, other) =>
    inOrder(orderOf(added.rows[one]), orderOf(added.rows[other])),
  );
  let [nextKept, nextAdded] = [0, 0];
  for (let at = 0; at < size; at += 1) {
    const row = kept[nextKept];
    const place = sorted[nextAdded];
    const isKept =
      before !== null &&
      row !== undefined &&
      (place === undefined || inOrder(orderAt(before, row), orderOf(added.rows[place])) < 0);
    if (isKept) {
      keep(row, at, before);
      nextKept += 1;
    } else {
      add(place ?? 0, at);
      nextAdded += 1;
    }
    corpora[at] = corpusAt(facets.values, columns.facetOf[at] ?? 0);
  }
  const stretches = new Map<Corpus, [number, number]>();
  corpora.forEach((place, at) => {
    const corpus = CORPORA[place];
    if (corpus !== undefined) stretches.set(corpus, [stretches.get(corpus)?.[0] ?? at, at + 1]);
  });
  const postings = mergePostings(words, size, before?.postings ?? null, keptAt, added.terms, addedAt);
  return { version, ...columns, mems, facets: facets.values, paths: paths.values, postings, stretches, leftOut };
}

const COLUMNS = ["ids", "changed", "pulls", "times", "facetOf", "pathOf"] as const;

/** By corpus, then by time; rows of the same moment by id. */
type Order = readonly [corpus: number, at: number, id: number];

function inOrder(one: Order, other: Order): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function orderOf(row: Facts | undefined): Order {
  return row === undefined ? [0, 0, 0] : [CORPORA.indexOf(row.corpus), row.at, row.id];
}

function orderAt({ facets, facetOf, times, ids }: RepositoryIndex, row: number): Order {
  return [corpusAt(facets, facetOf[row] ?? 0), times[row] ?? 0, ids[row] ?? 0];
}

function corpusAt(facets: readonly Facet[], place: number): number {
  const facet = facets[place];
  return facet === undefined ? 0 : CORPORA.indexOf(facet.corpus);
}

/** Each value once, known by its JSON. */
function interned<T>(known: readonly T[]): { placeOf(value: T): number; readonly values: T[] } {
  const values = [...known];
  const places = new Map(known.map((value, place) => [JSON.stringify(value), place]));
  return {
    values,
    placeOf(value) {
      const key = JSON.stringify(value);
      const place = places.get(key) ?? values.push(value) - 1;
      places.set(key, place);
      return place;
    },
  };
}

/** Which rows a search may weigh, and which of them it may return: 1 for each that it may. */
export interface VisibleRows {
  readonly inScope: Uint8Array;
  /** In scope and admitted by the filter. */
  readonly admitted: Uint8Array;
}

/**
 * What a scope and filter let be seen of a repository that the scope admits. Chooses candidates only: what it lets through is asked
 * of the store again before it is returned.
 */
export function visibleRows(index: RepositoryIndex, scope: Scope, filter: MemoryFilter, isOwn: boolean): VisibleRows {
  const { times, pulls, facets, facetOf, paths, pathOf } = index;
  const inScope = new Uint8Array(times.length);
  for (let row = 0; row < inScope.length; row += 1) {
    const isExcluded = isOwn && scope.excludePull !== null && pulls[row] === scope.excludePull;
    inScope[row] = isExcluded || (scope.before !== null && (times[row] ?? 0) >= scope.before) ? 0 : 1;
  }
  const [matchesFacet, matchesPath] = [facetMatcher(filter), pathMatcher(filter)];
  const byFacet = facets.map((facet) => (matchesFacet(facet) ? 1 : 0));
  const byPath = paths.map((path) => (matchesPath === null || matchesPath(path) ? 1 : 0));
  const admitted = inScope.map(
    (isIn, row) => isIn & (byFacet[facetOf[row] ?? 0] ?? 0) & (byPath[pathOf[row] ?? 0] ?? 0),
  );
  return { inScope, admitted };
}

/** Bytes held: typed arrays exactly, strings by estimate. */
export function indexBytes(index: RepositoryIndex): number {
  const { mems, paths, postings } = index;
  const arrays = COLUMNS.reduce((sum, name) => sum + index[name].byteLength, 0);
  return arrays + mems.length * NAME_BYTES + paths.length * PATH_BYTES + postingBytes(postings);
}

/** A string of 16 characters with its place in an array; a path of about 60. */
const NAME_BYTES = 40;
const PATH_BYTES = 100;
