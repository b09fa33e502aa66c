// Rows of one repository held in memory for searching: what scopes and filters ask about them and, once asked for, their
// words and sign bits. Made from one version of the repository; rows that change later die here and live in a younger one.
import { randomInt } from "node:crypto";
import type { Corpus, Outcome } from "../../domain/memory.ts";
import type { Database } from "./database.ts";
import type { Facet } from "./filter-rows.ts";
import { prepared } from "./prepared.ts";
import type { StoredSpace } from "./stored-space.ts";
import { buildWordIndex, type WordIndex, wordIndexBytes } from "./word-index.ts";

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
  /** By embedding space, of one generation; rows without a vector of that space have 0 in `has`. */
  readonly bits: Map<number, { readonly trained: number; readonly bits: Uint32Array; readonly has: Uint8Array }>;
  /** Vectors in bytes by embedding space, as many components a row as `bits` has bits; kept while there is room. */
  readonly vectors: Map<number, Int8Array>;
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
    bits: new Map(),
    vectors: new Map(),
  };
}

/** Unknown to those who write the words. */
const SEED = randomInt(2 ** 32);

/** The words of a segment's living rows, read on first use. */
export function segmentWords(db: Database.Database, segment: Segment): WordIndex {
  if (segment.words === null) {
    const rows = prepared(
      db,
      `SELECT r.id, CAST(w.text || char(10) || w.path || char(10) || w.symbol || char(10) || w.hunk AS BLOB) AS words
         FROM records r JOIN words w ON w.id = r.id
         WHERE r.repo = ? AND r.stale = 0 AND r.changed > ?`,
    ).iterate(segment.repo, segment.since) as Iterable<{ readonly id: number; readonly words: Uint8Array }>;
    segment.words = buildWordIndex(segment.ids.length, wordsOf(segment, rows), SEED);
  }
  return segment.words;
}

/** The sign bits of a segment's living rows in one embedding space, read on first use. */
export function segmentBits(db: Database.Database, segment: Segment, space: StoredSpace, words: number) {
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
  for (const [position, row] of placed(segment, rows)) {
    if (row.b.length !== words * 4) continue;
    bytes.set(row.b, position * words * 4);
    has[position] = 1;
  }
  const loaded = { trained: space.trained, bits, has };
  segment.bits.set(space.id, loaded);
  return loaded;
}

/** The vectors in bytes of a segment's living rows in one embedding space, read on first use; zeros where there is none. */
export function segmentVectors(
  db: Database.Database,
  segment: Segment,
  space: StoredSpace,
  components: number,
): Int8Array {
  const known = segment.vectors.get(space.id);
  if (known !== undefined) return known;
  const vectors = new Int8Array(segment.ids.length * components);
  const bytes = new Uint8Array(vectors.buffer);
  const rows = prepared(
    db,
    `SELECT r.id, v.v FROM records r CROSS JOIN vec_i8 v ON v.id = r.id AND v.space = @space
       WHERE r.repo = @repo AND r.stale = 0 AND r.changed > @since ORDER BY r.id`,
  ).iterate({ repo: segment.repo, space: space.id, since: segment.since }) as Iterable<{
    readonly id: number;
    readonly v: Uint8Array;
  }>;
  for (const [position, row] of placed(segment, rows)) {
    if (row.v.length === components) bytes.set(row.v, position * components);
  }
  segment.vectors.set(space.id, vectors);
  return vectors;
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
  return [...segment.vectors.values()].reduce((sum, one) => sum + one.byteLength, 0);
}

function* wordsOf(
  segment: Segment,
  rows: Iterable<{ readonly id: number; readonly words: Uint8Array }>,
): Generator<readonly [number, Uint8Array]> {
  for (const [position, row] of placed(segment, rows)) yield [position, row.words];
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
