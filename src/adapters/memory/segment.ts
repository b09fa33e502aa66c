// Rows of one repository held in memory for searching: what scopes and filters ask about them and, once asked for, their
// words and sign bits. Made from one version of the repository; rows that change later die here and live in a younger one.
import { randomInt } from "node:crypto";
import type { Corpus, Outcome } from "../../domain/memory.ts";
import type { Facet } from "./row-filter.ts";
import { type WordIndex, type WordIndexFilling, wordIndexBytes, wordIndexFilling } from "./word-index.ts";

/** A repository that a scope admits, as the snapshot of this search shows it. */
export interface AdmittedRepository {
  readonly id: number;
  readonly version: number;
  /** The scope's own, not one of the pool. */
  readonly own: boolean;
}

export interface Segment {
  readonly repo: number;
  /** Holds what was changed after this version. */
  readonly since: number;
  /** Row ids, ascending. */
  readonly ids: Float64Array;
  readonly mems: readonly string[];
  /** Pull request numbers, −1 for none. */
  readonly pulls: Float64Array;
  readonly times: Float64Array;
  /** Positions in `facets` and `paths`, where each value stands once. */
  readonly facetOf: Uint32Array;
  readonly pathOf: Uint32Array;
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
  readonly bits: Uint32Array;
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
 */
export function segmentOf(repo: number, since: number, rows: readonly FactRow[]): Segment {
  const facets = interned<Facet>();
  const paths = interned<string | null>();
  return {
    repo,
    since,
    ids: Float64Array.from(rows, (row) => row[0]),
    mems: rows.map((row) => row[1]),
    pulls: Float64Array.from(rows, (row) => row[2] ?? -1),
    times: Float64Array.from(rows, (row) => row[3]),
    facetOf: Uint32Array.from(rows, ([, , , , corpus, language, chunkType, category, severity, , outcome]) =>
      facets.at({ corpus, language, chunkType, category, severity, outcome }),
    ),
    pathOf: Uint32Array.from(rows, (row) => paths.at(row[9])),
    facets: facets.values,
    paths: paths.values,
    alive: new Uint8Array(rows.length).fill(1),
    words: null,
    filling: null,
    bits: new Map(),
    vectors: new Map(),
  };
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
  const facts = segment.ids.length * (3 * 8 + 2 * 4 + 1 + 48) + segment.paths.length * 100;
  const words = segment.words === null ? 0 : wordIndexBytes(segment.words);
  const bits = [...segment.bits.values()].reduce((sum, one) => sum + one.bits.byteLength + one.has.byteLength, 0);
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

function interned<T>(): { at(value: T): number; readonly values: T[] } {
  const positions = new Map<string, number>();
  const values: T[] = [];
  return {
    values,
    at(value) {
      const key = JSON.stringify(value);
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
