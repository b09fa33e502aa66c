// Rows of one repository held in memory for searching: what scopes and filters ask about them and, once asked for, their
// words and sign bits. Made from one version of the repository; rows that change later die here and live in a younger one.
import { randomInt } from "node:crypto";
import type { Corpus, Outcome } from "../../domain/memory.ts";
import { type BitPlanes, planeBytes } from "./bit-planes.ts";
import { type Names, namesFilling } from "./packed-names.ts";
import type { Facet } from "./row-filter.ts";
import { type WordIndex, type WordIndexFilling, wordIndexBytes, wordIndexFilling } from "./word-index.ts";

/** A repository that a scope admits, as the snapshot of this search shows it. */
export interface AdmittedRepository {
  readonly id: number;
  readonly version: number;
  /** The scope's own, not one of the pool. */
  readonly own: boolean;
}

/** As narrow as the highest of them allows. */
export type Positions = Uint16Array | Uint32Array;

export interface Segment {
  readonly repo: number;
  /** Holds what was changed after this version. */
  readonly since: number;
  /** Row ids, ascending. */
  readonly ids: Float64Array;
  /** Names, by which rows are told; empty where they are not asked for. */
  readonly mems: Names;
  /** Pull request numbers, −1 for none. */
  readonly pulls: Int32Array | Float64Array;
  readonly times: Float64Array;
  /** Positions in `facets` and `paths`, where each value stands once. */
  readonly facetOf: Positions;
  readonly pathOf: Positions;
  readonly facets: readonly Facet[];
  readonly paths: readonly (string | null)[];
  /** 1 while the row is the newest of its id. */
  readonly alive: Uint8Array;
  words: WordIndex | null;
  /** The words as far as they were read: how many of the rows. Null before the first and after the last. */
  filling: { readonly index: WordIndexFilling; read: number } | null;
  /** By embedding space, of one generation. */
  readonly bits: Map<number, SegmentBits>;
  /** By embedding space; kept while there is room. */
  readonly vectors: Map<number, SegmentVectors>;
}

/** Vectors in bytes, row after row, as many components a row as `bits` has bits; zeros where there is none. */
export interface SegmentVectors {
  readonly vectors: Int8Array;
  /** Of how many of the rows they are there. */
  read: number;
}

/** Sign bits, row after row. Rows without a vector of that space have 0 in `has`. */
export interface SegmentBits {
  readonly trained: number;
  readonly planes: BitPlanes;
  readonly has: Uint8Array;
  /** Rows whose bits have another size than the space: they are passed over. */
  readonly damaged: number;
}

/** A row as it is read: id, mem, pull, at, corpus, language, chunk type, category, severity, path, outcome. */
export type FactRow = [
  number,
  string,
  number | null,
  number,
  Corpus,
  string,
  string | null,
  string | null,
  string | null,
  string | null,
  Outcome | null,
];

/**
 * A segment of rows in the order of their ids.
 *
 * @param since of which version on the rows are
 * @param rows taken one by one and not kept: as objects they are several times what is made of them
 * @param most rows that there may be
 * @param withNames false where nobody asks for `mems`
 */
export function segmentOf(
  repo: number,
  since: number,
  rows: Iterable<FactRow>,
  most: number,
  withNames = true,
): Segment {
  const facets = interned<Facet>();
  const paths = interned<string | null>();
  const names = namesFilling(withNames ? most : 0);
  const [ids, pulls, times] = [new Float64Array(most), new Float64Array(most), new Float64Array(most)];
  const [facetOf, pathOf] = [new Uint32Array(most), new Uint32Array(most)];
  let count = 0;
  for (const [id, mem, pull, at, corpus, language, chunkType, category, severity, path, outcome] of rows) {
    ids[count] = id;
    if (withNames) names.add(mem);
    pulls[count] = pull ?? -1;
    times[count] = at;
    const facet = { corpus, language, chunkType, category, severity, outcome };
    facetOf[count] = facets.at(facet, JSON.stringify(facet));
    pathOf[count] = paths.at(path, path);
    count += 1;
  }
  return {
    repo,
    since,
    ids: ids.slice(0, count),
    mems: names.done(),
    pulls: narrowPulls(pulls.subarray(0, count)),
    times: times.slice(0, count),
    facetOf: narrow(facetOf.subarray(0, count), facets.values.length),
    pathOf: narrow(pathOf.subarray(0, count), paths.values.length),
    facets: facets.values,
    paths: paths.values,
    alive: new Uint8Array(count).fill(1),
    words: null,
    filling: null,
    bits: new Map(),
    vectors: new Map(),
  };
}

function narrow(positions: Uint32Array, size: number): Positions {
  return size <= 65_536 ? Uint16Array.from(positions) : positions.slice();
}

function narrowPulls(pulls: Float64Array): Int32Array | Float64Array {
  const narrowed = Int32Array.from(pulls);
  return pulls.every((pull, row) => pull === narrowed[row]) ? narrowed : pulls.slice();
}

/** Unknown to those who write the words. */
const SEED = randomInt(2 ** 32);

/** An index for the words of a segment, with room for each of its rows. */
export function emptyIndex(segment: Segment): WordIndexFilling {
  return wordIndexFilling(segment.ids.length, SEED);
}

/** Position of a row id, or −1. */
export function positionOf(segment: Segment, id: number): number {
  let [low, high] = [0, segment.ids.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = segment.ids[middle] ?? 0;
    if (found === id) return middle;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Rough bytes held: typed arrays exactly, strings by estimate. */
export function segmentBytes(segment: Segment): number {
  const { ids, times, pulls, facetOf, pathOf, alive, mems } = segment;
  const arrays = [ids, times, pulls, facetOf, pathOf, alive].reduce((sum, { byteLength }) => sum + byteLength, 0);
  const facts = arrays + mems.bytes + segment.paths.length * 100;
  const words = segment.words === null ? 0 : wordIndexBytes(segment.words);
  const bits = [...segment.bits.values()].reduce((sum, one) => sum + planeBytes(one.planes) + one.has.byteLength, 0);
  return facts + words + bits + vectorBytes(segment);
}

/** Of these, the bytes of vectors. */
export function vectorBytes(segment: Segment): number {
  return [...segment.vectors.values()].reduce((sum, { vectors }) => sum + vectors.byteLength, 0);
}

/** Rows with their positions; those that the segment does not hold, or that died, are left out. */
export function* placed<T extends { readonly id: number }>(
  segment: Segment,
  rows: Iterable<T>,
): Generator<readonly [number, T]> {
  for (const row of rows) {
    const position = positionOf(segment, row.id);
    if (position >= 0 && segment.alive[position] === 1) yield [position, row];
  }
}

/** Each value once, known by its key. */
function interned<T>(): { at(value: T, key: string | null): number; readonly values: T[] } {
  const positions = new Map<string | null, number>();
  const values: T[] = [];
  return {
    values,
    at(value, key) {
      let position = positions.get(key);
      if (position === undefined) {
        position = values.length;
        positions.set(key, position);
        values.push(value);
      }
      return position;
    },
  };
}
