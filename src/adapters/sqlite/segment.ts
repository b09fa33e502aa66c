// Rows of one repository held in memory for searching: what scopes and filters ask about them and, once asked for, their
// words and sign bits. Made from one version of the repository; rows that change later die here and live in a younger one.
import { randomInt } from "node:crypto";
import type { Corpus, Outcome } from "../../domain/memory.ts";
import type { Database } from "./database.ts";
import type { Facet } from "./filter-rows.ts";
import { prepared } from "./prepared.ts";
import type { StoredSpace } from "./stored-space.ts";
import { type WordIndex, type WordIndexFilling, wordIndexBytes, wordIndexFilling } from "./word-index.ts";

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

type FactRow = [
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

/** Reads the rows of a repository that changed after a version and are not stale. */
export function loadSegment(db: Database.Database, repo: number, since: number): Segment {
  const rows = prepared(
    db,
    `SELECT id, mem, pull, at, corpus, language, chunk_type, category, severity, path, outcome
       FROM records WHERE repo = ? AND stale = 0 AND changed > ? ORDER BY id`,
  )
    .raw()
    .all(repo, since) as FactRow[];
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

/** The words of a segment's living rows, read on first use. */
export function segmentWords(db: Database.Database, segment: Segment): WordIndex {
  while (segment.words === null) readWords(db, segment, segment.ids.length);
  return segment.words;
}

/**
 * Reads the words of the next rows, so that a long reading can be done in pieces, each in a snapshot of its own: a row
 * that changes meanwhile dies here with the next change that is read, whatever words were read of it.
 */
export function readWords(db: Database.Database, segment: Segment, rows: number): void {
  const filling = segment.filling ?? { index: wordIndexFilling(segment.ids.length, SEED), read: 0 };
  // Given up when reading fails: a row must not be added twice.
  segment.filling = null;
  const next = Array.from(segment.ids.subarray(filling.read, filling.read + rows));
  const found = prepared(
    db,
    `SELECT w.id, CAST(w.text || char(10) || w.path || char(10) || w.symbol || char(10) || w.hunk AS BLOB) AS words
       FROM json_each(?) j CROSS JOIN words w ON w.id = j.value`,
  ).iterate(JSON.stringify(next)) as Iterable<{ readonly id: number; readonly words: Uint8Array }>;
  for (const [position, row] of placed(segment, found)) filling.index.add(position, row.words);
  filling.read += next.length;
  if (filling.read < segment.ids.length) segment.filling = filling;
  else segment.words = filling.index.done();
}

/** The sign bits of a segment's living rows in one embedding space, read on first use. */
export function segmentBits(db: Database.Database, segment: Segment, space: StoredSpace, words: number): SegmentBits {
  const known = segment.bits.get(space.id);
  if (known?.trained === space.trained) return known;
  const bits = new Uint32Array(segment.ids.length * words);
  const has = new Uint8Array(segment.ids.length);
  const bytes = new Uint8Array(bits.buffer);
  const rows = prepared(
    db,
    segment.since < 0
      ? "SELECT id, b FROM vec_bit WHERE repo = @repo AND space = @space"
      : `SELECT b.id, b.b FROM records r JOIN vec_bit b ON b.repo = r.repo AND b.space = @space AND b.id = r.id
           WHERE r.repo = @repo AND r.stale = 0 AND r.changed > @since`,
  ).iterate({ repo: segment.repo, space: space.id, since: segment.since }) as Iterable<{
    readonly id: number;
    readonly b: Uint8Array;
  }>;
  let damaged = 0;
  for (const [position, row] of placed(segment, rows)) {
    if (row.b.length === words * 4) {
      bytes.set(row.b, position * words * 4);
      has[position] = 1;
    } else damaged += 1;
  }
  const loaded = { trained: space.trained, bits, has, damaged };
  segment.bits.set(space.id, loaded);
  return loaded;
}

/** The vectors of a segment's living rows in one embedding space, those that are missing read now. */
export function segmentVectors(
  db: Database.Database,
  segment: Segment,
  space: StoredSpace,
  components: number,
): Int8Array {
  while (vectorsMissing(segment, space) > 0) readVectors(db, segment, space, components, segment.ids.length);
  return segment.vectors.get(space.id)?.vectors ?? new Int8Array();
}

/** Rows whose vectors are not in memory yet. */
export function vectorsMissing(segment: Segment, space: StoredSpace): number {
  return segment.ids.length - (segment.vectors.get(space.id)?.read ?? 0);
}

/** Reads the vectors of the next rows, like readWords in pieces that may lie in different snapshots. */
export function readVectors(
  db: Database.Database,
  segment: Segment,
  space: StoredSpace,
  components: number,
  rows: number,
): void {
  const known = segment.vectors.get(space.id);
  const into = known ?? { vectors: new Int8Array(segment.ids.length * components), read: 0 };
  const bytes = new Uint8Array(into.vectors.buffer);
  const next = Array.from(segment.ids.subarray(into.read, into.read + rows));
  const found = prepared(
    db,
    "SELECT v.id, v.v FROM json_each(@ids) j CROSS JOIN vec_i8 v ON v.id = j.value AND v.space = @space",
  ).iterate({ ids: JSON.stringify(next), space: space.id }) as Iterable<{
    readonly id: number;
    readonly v: Uint8Array;
  }>;
  for (const [position, row] of placed(segment, found)) {
    if (row.v.length === components) bytes.set(row.v, position * components);
  }
  into.read += next.length;
  segment.vectors.set(space.id, into);
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
function* placed<T extends { readonly id: number }>(
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
