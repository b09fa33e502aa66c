// Nearest by meaning, in three steps that each look at fewer rows more closely: sign bits against sign bits, the query
// against sign bits, the query against bytes. Bits and bytes are read in SQL or in memory, with the same answer; what is
// told has passed a query that carries the scope.
import type { VectorHit } from "../../domain/retrieval.ts";
import { copyBits } from "../memory/bit-planes.ts";
import { seenRows } from "../memory/row-mask.ts";
import type { AdmittedRepository } from "../memory/segment.ts";
import { topK } from "../memory/top-k.ts";
import { filterSql } from "./filter-rows.ts";
import { nearestBits } from "./nearest-bits.ts";
import type { ChosenRows } from "./nearest-so-far.ts";
import { type MeasuredRows, nearer, nearestTold } from "./nearest-told.ts";
import { prepared } from "./prepared.ts";
import { cosineDistanceTo, toBits } from "./quantise-vector.ts";
import { type BitCandidates, rankByBits } from "./rank-by-bits.ts";
import { segmentBits, segmentVectors } from "./read-segment.ts";
import { rowsWithBits } from "./rows-with-bits.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Search } from "./search.ts";
import type { Shelves } from "./shelves.ts";
import type { StoredSpace } from "./stored-space.ts";

interface Step {
  /** Rows at 1024 bits; fewer bits tell less, so that shorter vectors take more rows, up to the most. */
  readonly rows: number;
  readonly most: number;
  readonly perHit: number;
}

/**
 * Rows chosen bits against bits: at 1024 bits 5 % of the true nearest 20 of hashed text are lost by 200, by 1000 under 1 %.
 * Then rows whose bytes are compared.
 */
const STEPS: { readonly candidates: Step; readonly measured: Step } = {
  candidates: { rows: 1000, most: 4000, perHit: 10 },
  measured: { rows: 300, most: 1200, perHit: 6 },
};

/**
 * Among many rows the nearest stand out more: of synthetic texts 600 and 200 lose nothing of the true 20 nearest among
 * 100,000 and a million that 1000 and 300 keep, but 1 % among 20,000.
 */
const AMONG_MANY: typeof STEPS = {
  candidates: { rows: 600, most: 4000, perHit: 10 },
  measured: { rows: 200, most: 1200, perHit: 4 },
};
const MANY = 100_000;
const BITS = 1024;
/** Nearest rows by bits that a search by first bits must not lose. */
const SURE = 50;

/** For each query the nearest, by a scan of the bits in SQL (sqlite-vec). */
export function nearestInFile(search: Search, queries: readonly Float32Array[], space: StoredSpace): VectorHit[][] {
  const scope = scopeSql(search.scope);
  const filter = filterSql(search.filter);
  // sqlite-vec throws at bits of another length. Those come first here, so that a row that was damaged is noticed in the
  // same scan and costs only itself.
  const distance =
    "CASE WHEN length(b.b) = length(@bits) THEN vec_distance_hamming(vec_bit(b.b), vec_bit(@bits)) ELSE -1 END";
  const find = prepared(
    search.db,
    `SELECT b.id, b.b FROM repositories p CROSS JOIN vec_bit b ON b.repo = p.id AND b.space = @space CROSS JOIN records r ON r.id = b.id
       WHERE ${scope.rows} AND ${filter.rows}
       ORDER BY ${distance}, b.id LIMIT @limit`,
  ).raw();
  const damaged = new Set<number>();
  const nearest = queries.map((query) => {
    const bits = toBits(query, space.mean);
    const values = { ...scope.values, ...filter.values, space: space.id, bits };
    const isSound = ([, found]: readonly [number, Uint8Array]) => found.length === bits.length;
    const limit = rowsFor(STEPS.candidates, query.length, search.k);
    const first = find.all({ ...values, limit }) as [number, Uint8Array][];
    const unsound = first.filter((row) => !isSound(row));
    for (const [id] of unsound) damaged.add(id);
    // More than the first search can show are damaged only in a file that is damaged as a whole.
    const again = { ...values, limit: limit + unsound.length };
    const sound =
      unsound.length === 0 ? first : (find.all(again) as [number, Uint8Array][]).filter((row) => isSound(row));
    const candidates = {
      ids: Float64Array.from(sound.map(([id]) => id)),
      bytes: sound.map(([, found]) => found),
      in: Uint32Array.from(sound.keys()),
      offsets: new Float64Array(sound.length),
    };
    const places = promising(query, space, candidates, rowsFor(STEPS.measured, query.length, search.k));
    return measuredInFile(search, query, space, candidates, places, damaged);
  });
  tellDamaged(search, damaged.size);
  return nearest;
}

function tellDamaged(search: Search, count: number): void {
  if (count === 0) return;
  const rows = count === 1 ? "the vector of a memory is" : `the vectors of ${count} memories are`;
  search.tell("damaged-vectors", `${rows} damaged and not compared; words still find them`);
}

/**
 * For each query the nearest, by a scan over bits in memory.
 *
 * @param withVectors whether the vectors too are read into memory, or those of promising rows from the file each time
 */
export function nearestInMemory(
  search: Search,
  queries: readonly Float32Array[],
  space: StoredSpace,
  repositories: readonly AdmittedRepository[],
  shelves: Shelves,
  withVectors: boolean,
): VectorHit[][] {
  const components = queries[0]?.length ?? BITS;
  const parts = bitParts(search, components / 32, space, repositories, shelves);
  const steps = parts.reduce((sum, part) => sum + part.count, 0) >= MANY ? AMONG_MANY : STEPS;
  const wanted = { rows: rowsFor(steps.candidates, components, search.k), sure: Math.max(SURE, search.k) };
  const bits = queries.map((query) => new Uint32Array(toBits(query, space.mean).buffer));
  const ranked = nearestBits(parts, bits, wanted).map((chosen, at): Promising => {
    const query = queries[at] ?? new Float32Array(components);
    const candidates = asCandidates(parts, chosen);
    const places = promising(query, space, candidates, rowsFor(steps.measured, components, search.k));
    return { query, chosen, places, candidates };
  });
  const measured = withVectors ? byMemory(search, parts, ranked, space) : byFile(search, ranked, space);
  const damaged = new Set<number>();
  for (const { ids, distances } of measured) {
    for (let at = 0; at < ids.length; at += 1) if (Number.isNaN(distances[at])) damaged.add(ids[at] ?? 0);
  }
  const nearest = nearestTold(search, measured);
  // Rows whose bits are damaged are no candidates, so that none is counted twice.
  const withoutBits = parts.reduce((sum, part) => sum + part.damaged, 0);
  tellDamaged(search, withoutBits + damaged.size);
  return nearest;
}

/** What is worth measuring for a query: places among its candidates, which are the rows that were chosen. */
interface Promising {
  readonly query: Float32Array;
  readonly chosen: ChosenRows;
  readonly candidates: BitCandidates;
  readonly places: readonly number[];
}

/** By the vectors in memory. */
function byMemory(
  search: Search,
  parts: readonly BitPart[],
  ranked: readonly Promising[],
  space: StoredSpace,
): MeasuredRows[] {
  const components = ranked[0]?.query.length ?? BITS;
  const vectors = parts.map(({ segment }) => segmentVectors(search.db, segment, space, components));
  return ranked.map(({ query, chosen, candidates, places }) => {
    const distanceTo = cosineDistanceTo(query);
    const [ids, distances] = [new Float64Array(places.length), new Float64Array(places.length)];
    for (let to = 0; to < places.length; to += 1) {
      const at = places[to] ?? 0;
      const stored = vectors[chosen.parts[at] ?? 0] ?? new Int8Array(components);
      ids[to] = candidates.ids[at] ?? 0;
      distances[to] = distanceTo(stored, (chosen.rows[at] ?? 0) * components);
    }
    return { ids, distances };
  });
}

/** By the file, a few µs a row: in the order of ids a third of what it takes in any other, since neighbours share pages. */
function byFile(search: Search, ranked: readonly Promising[], space: StoredSpace): MeasuredRows[] {
  const find = prepared(
    search.db,
    "SELECT v.id, v.v FROM json_each(@ids) j CROSS JOIN vec_i8 v ON v.id = j.value AND v.space = @space",
  ).raw();
  return ranked.map(({ query, candidates, places }) => {
    const distanceTo = cosineDistanceTo(query);
    const wanted = Float64Array.from(places, (at) => candidates.ids[at] ?? 0).sort();
    const rows = find.all({ ids: JSON.stringify([...wanted]), space: space.id }) as [number, Uint8Array][];
    const distances = Float64Array.from(rows, ([, bytes]) => {
      const stored = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
      return stored.length === query.length ? distanceTo(stored, 0) : Number.NaN;
    });
    return { ids: Float64Array.from(rows, ([id]) => id), distances };
  });
}

function bitParts(
  search: Search,
  words: number,
  space: StoredSpace,
  repositories: readonly AdmittedRepository[],
  shelves: Shelves,
) {
  return repositories.flatMap((repository) =>
    shelves.segments(repository).map((segment) => {
      const { planes, has, damaged } = segmentBits(search.db, segment, space, words);
      const admitted = rowsWithBits(seenRows(segment, search.scope, search.filter, repository), has);
      const { buffer, byteOffset, byteLength } = planes.bits;
      const bytes = new Uint8Array(buffer, byteOffset, byteLength);
      return { segment, planes, bytes, ids: segment.ids, ...admitted, damaged };
    }),
  );
}

type BitPart = ReturnType<typeof bitParts>[number];

/** Bits where they are; those that stand in two planes copied together. */
function asCandidates(parts: readonly BitPart[], { parts: lies, rows }: ChosenRows): BitCandidates {
  const words = parts[0]?.planes.words ?? 0;
  const isApart = parts.map(({ planes }) => planes.sketches !== null);
  const ids = new Float64Array(rows.length);
  const offsets = new Float64Array(rows.length);
  const copied = new Uint32Array(isApart.includes(true) ? rows.length * words : 0);
  const places = lies.slice();
  for (let at = 0; at < rows.length; at += 1) {
    const [lie, row] = [lies[at] ?? 0, rows[at] ?? 0];
    const part = parts[lie];
    if (part === undefined) continue;
    ids[at] = part.ids[row] ?? 0;
    offsets[at] = (isApart[lie] ? at : row) * words * 4;
    if (!isApart[lie]) continue;
    places[at] = parts.length;
    copyBits(part.planes, row, copied, at * words);
  }
  return { ids, bytes: [...parts.map(({ bytes }) => bytes), new Uint8Array(copied.buffer)], in: places, offsets };
}

/** The places of the candidates that are worth measuring. */
function promising(query: Float32Array, { mean }: StoredSpace, candidates: BitCandidates, wanted: number): number[] {
  const centred = query.slice();
  for (let at = 0; mean !== null && at < centred.length; at += 1) centred[at] = (query[at] ?? 0) - (mean[at] ?? 0);
  return rankByBits(centred, candidates, wanted);
}

/**
 * Reads the bytes of rows, at a few µs each, and tells the k nearest; what scope or filter do not admit is not told.
 *
 * @param damaged rows whose vector has another size, or no direction, are added
 */
function measuredInFile(
  search: Search,
  query: Float32Array,
  space: StoredSpace,
  candidates: BitCandidates,
  places: readonly number[],
  damaged: Set<number>,
): VectorHit[] {
  const scope = scopeSql(search.scope);
  const filter = filterSql(search.filter);
  const ids = JSON.stringify(places.map((at) => candidates.ids[at] ?? 0));
  const rows = prepared(
    search.db,
    `SELECT r.id, r.mem, v.v FROM json_each(@ids) j CROSS JOIN records r ON r.id = j.value
       CROSS JOIN repositories p ON p.id = r.repo CROSS JOIN vec_i8 v ON v.id = r.id
       WHERE v.space = @space AND ${scope.rows} AND ${filter.rows}`,
  )
    .raw()
    .iterate({ ...scope.values, ...filter.values, space: space.id, ids }) as Iterable<[number, string, Uint8Array]>;
  return topK(measured(rows, query, damaged), search.k, nearer);
}

function rowsFor(step: Step, bits: number, k: number): number {
  const forBits = Math.min(step.most, Math.max(step.rows, Math.round((step.rows * BITS) / bits)));
  return Math.max(forBits, k * step.perHit);
}

function* measured(
  rows: Iterable<[number, string, Uint8Array]>,
  query: Float32Array,
  damaged: Set<number>,
): Generator<VectorHit> {
  const distanceTo = cosineDistanceTo(query);
  for (const [row, id, bytes] of rows) {
    const stored = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    const distance = stored.length === query.length ? distanceTo(stored, 0) : Number.NaN;
    if (Number.isNaN(distance)) damaged.add(row);
    else yield { id, distance };
  }
}
