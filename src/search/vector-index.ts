// One repository's vectors in memory, with exact search; those of a corpus are contiguous.
import { createRequire } from "node:module";
import { setImmediate } from "node:timers/promises";
import type { Corpus } from "../domain/memory.ts";
import type { VectorHit } from "../domain/retrieval.ts";
import { codeDistance } from "./code.ts";
import type { RepositoryIndex } from "./repository-index.ts";
import type { RowCode, Rows } from "./rows.ts";

/** Vectors of one embedding space, for an index of the same version. */
export interface VectorIndex {
  readonly version: number;
  readonly dimension: number;
  readonly corpora: readonly CorpusVectors[];
  /** Ids of rows whose vectors have another dimension or are all zero; they are not searched. */
  readonly damaged: ReadonlySet<number>;
}

interface CorpusVectors {
  readonly corpus: Corpus;
  /** The index's rows that have a vector, ascending. */
  readonly rows: Uint32Array;
  /** Contiguous, in the order of the rows, from the start of its buffer. */
  readonly codes: Int8Array;
}

const PAGE = 5_000;

/**
 * The vectors of an index.
 *
 * @param older those of an older version, with its index, for the same space: then it reads only
 * vectors of changed rows
 */
export async function readVectors(
  rows: Rows,
  repository: number,
  space: number,
  dimension: number,
  index: RepositoryIndex,
  older: { readonly vectors: VectorIndex; readonly index: RepositoryIndex } | null,
): Promise<VectorIndex> {
  const places = new Map<number, number>();
  for (const [row, id] of index.ids.entries()) places.set(id, row);
  const filling = [...index.stretches].map(([corpus, [from, to]]) => ({
    corpus,
    from,
    to,
    codes: new Int8Array((to - from) * dimension),
    has: new Uint8Array(to - from),
  }));
  const set = (id: number, code: Int8Array | null) => {
    const row = places.get(id);
    const stretch = row === undefined ? undefined : filling.find(({ from, to }) => from <= row && row < to);
    if (row === undefined || stretch === undefined) return;
    stretch.has[row - stretch.from] = code === null ? 0 : 1;
    if (code !== null) stretch.codes.set(code, (row - stretch.from) * dimension);
  };
  const damaged = new Set([...(older?.vectors.damaged ?? [])].filter((id) => places.has(id)));
  const put = ({ id, code }: RowCode) => {
    if (code.length === dimension && code.some((component) => component !== 0)) set(id, code);
    else if (places.has(id)) damaged.add(id);
  };
  if (older === null) {
    for (let after = 0; ; ) {
      const page = await rows.codes(repository, space, after, PAGE);
      for (const code of page) put(code);
      if (page.length < PAGE) break;
      after = page.at(-1)?.id ?? after;
      await setImmediate();
    }
  } else {
    const changed: number[] = [];
    index.changed.forEach((version, row) => {
      if (version > older.index.version) changed.push(index.ids[row] ?? 0);
    });
    for (const { rows: held, codes } of older.vectors.corpora)
      held.forEach((row, at) => {
        set(older.index.ids[row] ?? 0, codes.subarray(at * dimension, (at + 1) * dimension));
      });
    for (const id of changed) {
      set(id, null);
      damaged.delete(id);
    }
    if (changed.length > 0) for (const code of await rows.codesOf(repository, space, changed)) put(code);
  }
  const corpora = filling.map((stretch) => withVectors(stretch, dimension));
  return { version: index.version, dimension, corpora, damaged };
}

/** The rows with a vector, and their vectors without gaps. */
function withVectors(
  { corpus, from, codes, has }: { corpus: Corpus; from: number; codes: Int8Array; has: Uint8Array },
  dimension: number,
): CorpusVectors {
  const held: number[] = [];
  has.forEach((is, at) => {
    if (is === 0) return;
    if (held.length < at) codes.copyWithin(held.length * dimension, at * dimension, (at + 1) * dimension);
    held.push(from + at);
  });
  const used = held.length * dimension;
  return { corpus, rows: Uint32Array.from(held), codes: used === codes.length ? codes : codes.slice(0, used) };
}

/** Searches contiguous codes from the start of a buffer; see `exactSearch` of usearch. */
export type ExactSearch = (
  codes: Int8Array,
  queries: Int8Array,
  dimension: number,
  count: number,
) => { readonly places: ArrayLike<number>; readonly distances: ArrayLike<number> };

/**
 * usearch's exact search in one thread, or null if it has no build for this machine.
 *
 * Invalid arguments crash the process or return wrong rows (2.26), so they are checked here: the
 * metric must support bytes, a count must be an integer and at most the number of rows, and an
 * array must begin at the start of its buffer (usearch ignores the offset).
 */
export function usearchExact(): ExactSearch | null {
  let library: typeof import("usearch");
  try {
    // Not an import: the package is native code for a few platforms.
    library = createRequire(import.meta.url)("usearch") as typeof import("usearch");
  } catch {
    return null;
  }
  return (codes, queries, dimension, count) => {
    if (codes.byteOffset !== 0 || queries.byteOffset !== 0)
      throw new RangeError("codes must begin where their buffer does");
    const isWhole = codes.length % dimension === 0 && queries.length % dimension === 0 && queries.length > 0;
    if (!isWhole || !Number.isInteger(count) || count < 1 || count * dimension > codes.length)
      throw new RangeError(`${codes.length} and ${queries.length} bytes do not hold ${count} codes of ${dimension}`);
    const { keys, distances } = library.exactSearch(codes, queries, dimension, count, library.MetricKind.Cos, 1);
    return { places: Array.from(keys, Number), distances };
  };
}

/** How far rounding sets usearch's distances off: 1.2e-7 among 660 pairs of 1,024 components. */
const ROUNDING = 1e-5;
/** Extra rows to fetch, to find the end of ties. */
const MORE = 16;

/**
 * For each query the k nearest admitted rows, nearest first; ties are ordered by record id.
 *
 * @param admitted 1 for each row of the index that may be returned
 */
export function nearestRows(
  exact: ExactSearch,
  { dimension, corpora }: VectorIndex,
  { mems }: RepositoryIndex,
  admitted: Uint8Array,
  queries: readonly Int8Array[],
  k: number,
): VectorHit[][] {
  const flat = new Int8Array(queries.length * dimension);
  for (const [at, query] of queries.entries()) flat.set(query, at * dimension);
  /** Positions among the searched vectors, with usearch's rounded distance. */
  const found: (ReturnType<typeof admittedOf> & { place: number; distance: number })[][] = queries.map(() => []);
  for (const { rows, codes } of corpora) {
    const part = admittedOf(rows, codes, admitted, dimension);
    const isAdmitted = (place: number) => part.skipped === 0 || admitted[part.rows[place] ?? 0] === 1;
    const most = Math.min(k, part.rows.length - part.skipped);
    nearestOf(exact, part.codes, flat, dimension, most, part.skipped, isAdmitted).forEach((near, query) => {
      for (const { place, distance } of near) found[query]?.push({ distance, place, ...part });
    });
  }
  return found.map((near, query) => {
    near.sort((one, other) => one.distance - other.distance);
    const last = (near[k - 1]?.distance ?? 2) + ROUNDING;
    return near
      .filter(({ distance }) => distance <= last)
      .map(({ rows, codes, place }) => ({
        id: mems[rows[place] ?? 0] ?? "",
        distance: codeDistance(queries[query] ?? NONE, codes, place * dimension),
      }))
      .sort(byDistance)
      .slice(0, k);
  });
}

/** Nearest first, ties by id. */
export function byDistance(one: VectorHit, other: VectorHit): number {
  return one.distance - other.distance || (one.id < other.id ? -1 : 1);
}

/**
 * Up to so many rows that are not admitted are searched with the others and removed from the
 * result: among 20,000 rows that costs 1 ms, while copying the admitted ones costs 10.
 */
const MOST_SKIPPED = 256;

/** Vectors up to the last admitted one, `skipped` included; if those are many, a copy without. */
function admittedOf(rows: Uint32Array, codes: Int8Array, admitted: Uint8Array, dimension: number) {
  const places = new Uint32Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at += 1) {
    places[count] = at;
    count += admitted[rows[at] ?? 0] ?? 0;
  }
  const end = count === 0 ? 0 : (places[count - 1] ?? 0) + 1;
  const skipped = end - count;
  if (skipped <= MOST_SKIPPED)
    return { rows: rows.subarray(0, end), codes: codes.subarray(0, end * dimension), skipped };
  const copied = new Int8Array(count * dimension);
  const chosen = places.subarray(0, count);
  chosen.forEach((place, at) => {
    copied.set(codes.subarray(place * dimension, (place + 1) * dimension), at * dimension);
  });
  return { rows: chosen.map((place) => rows[place] ?? 0), codes: copied, skipped: 0 };
}

const NONE = new Int8Array();

/** For each query the k nearest admitted rows or more: all that may tie with the last. */
function nearestOf(
  exact: ExactSearch,
  codes: Int8Array,
  queries: Int8Array,
  dimension: number,
  k: number,
  skipped: number,
  isAdmitted: (place: number) => boolean,
): { readonly place: number; readonly distance: number }[][] {
  const size = codes.length / dimension;
  if (k < 1) return [];
  for (let count = Math.min(size, k + skipped + MORE); ; count = Math.min(size, count * 4)) {
    const { places, distances } = exact(codes, queries, dimension, count);
    const near = Array.from({ length: queries.length / dimension }, (_, query) => {
      const found: { place: number; distance: number }[] = [];
      let last = 2;
      let at = query * count;
      for (const end = at + count; at < end && (distances[at] ?? 2) <= last; at += 1) {
        const [place, distance] = [places[at] ?? 0, distances[at] ?? 2];
        if (!isAdmitted(place)) continue;
        found.push({ place, distance });
        if (found.length === k) last = distance + ROUNDING;
      }
      return { found, isCut: at === (query + 1) * count };
    });
    if (count === size || near.every(({ isCut }) => !isCut)) return near.map(({ found }) => found);
  }
}

export function vectorBytes({ corpora }: VectorIndex): number {
  return corpora.reduce((sum, { rows, codes }) => sum + rows.byteLength + codes.byteLength, 0);
}
