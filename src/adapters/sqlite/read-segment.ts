// Rows of one repository from the file into memory, and their words, sign bits and vectors, a few at a time if need be.
import { bitPlanes, putBits } from "../memory/bit-planes.ts";
import { emptyIndex, type FactRow, placed, type Segment, type SegmentBits, segmentOf } from "../memory/segment.ts";
import type { WordIndex } from "../memory/word-index.ts";
import type { Database } from "./database.ts";
import { prepared } from "./prepared.ts";
import type { StoredSpace } from "./stored-space.ts";

/**
 * Reads the rows of a repository that changed after a version and are not stale.
 *
 * @param withNames false where rows are told by what the file names them
 */
export function loadSegment(db: Database.Database, repo: number, since: number, withNames = true): Segment {
  const which = "FROM records WHERE repo = ? AND stale = 0 AND changed > ?";
  const count = prepared(db, `SELECT count(*) ${which}`).pluck().get(repo, since) as number;
  const rows = prepared(
    db,
    `SELECT id, ${withNames ? "mem" : "''"}, pull, at, corpus, language, chunk_type, category, severity, path, outcome
       ${which} ORDER BY id`,
  )
    .raw()
    .iterate(repo, since) as Iterable<FactRow>;
  return segmentOf(repo, since, rows, count, withNames);
}

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
  const filling = segment.filling ?? { index: emptyIndex(segment), read: 0 };
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
  const planes = bitPlanes(segment.ids.length, words);
  const has = new Uint8Array(segment.ids.length);
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
      putBits(planes, position, row.b);
      has[position] = 1;
    } else damaged += 1;
  }
  const loaded = { trained: space.trained, planes, has, damaged };
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
