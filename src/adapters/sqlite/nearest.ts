// Nearest by meaning, in three steps that each look at fewer rows more closely: sign bits against sign bits, the query
// against sign bits, the query against bytes. Bits and bytes are read in SQL or in memory, with the same answer; what is
// told has passed a query that carries the scope.
import type { VectorHit } from "../../domain/retrieval.ts";
import { ADMITTED, type SeenRows, seenRows } from "../memory/row-mask.ts";
import type { AdmittedRepository } from "../memory/segment.ts";
import { topK } from "../memory/top-k.ts";
import { filterSql } from "./filter-rows.ts";
import { type ChosenRows, nearestBits } from "./nearest-bits.ts";
import { prepared } from "./prepared.ts";
import { cosineDistanceTo, toBits } from "./quantise-vector.ts";
import { type BitCandidates, rankByBits } from "./rank-by-bits.ts";
import { segmentBits, segmentVectors } from "./read-segment.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Search } from "./search.ts";
import type { Shelves } from "./shelves.ts";
import type { StoredSpace } from "./stored-space.ts";
import { toldRows } from "./told-rows.ts";

/**
 * Rows chosen bits against bits, at 1024 bits: by 200, 5 % of the true nearest 20 of hashed text are lost, by 1000 under
 * 1 %. Fewer bits tell less, so that shorter vectors take more rows.
 */
const CANDIDATES = { rows: 1000, most: 4000, perHit: 10 };
/** Rows whose bytes are compared at 1024 bits. */
const MEASURED = { rows: 300, most: 1200, perHit: 6 };
const BITS = 1024;

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
    const limit = rowsFor(CANDIDATES, query.length, search.k);
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
    const places = promising(query, space, candidates, search.k);
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
  const wanted = rowsFor(CANDIDATES, components, search.k);
  const bits = queries.map((query) => new Uint32Array(toBits(query, space.mean).buffer));
  const ranked = nearestBits(parts, bits, wanted).map((chosen, at): Promising => {
    const query = queries[at] ?? new Float32Array(components);
    const candidates = asCandidates(parts, chosen);
    const places = promising(query, space, candidates, search.k);
    return { query, chosen, places, candidates };
  });
  const damaged = new Set<number>();
  const nearest = withVectors
    ? measuredInMemory(search, parts, ranked, space, damaged)
    : ranked.map(({ query, candidates, places }) => measuredInFile(search, query, space, candidates, places, damaged));
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

/** By the vectors in memory; what the file does not admit is not told. */
function measuredInMemory(
  search: Search,
  parts: readonly BitPart[],
  ranked: readonly Promising[],
  space: StoredSpace,
  damaged: Set<number>,
): VectorHit[][] {
  const components = ranked[0]?.query.length ?? BITS;
  const vectors = parts.map(({ segment }) => segmentVectors(search.db, segment, space, components));
  const nearest = ranked.map(({ query, chosen, candidates, places }) => {
    const distanceTo = cosineDistanceTo(query);
    const distances = new Float64Array(candidates.ids.length);
    for (const at of places) {
      const stored = vectors[chosen.parts[at] ?? 0] ?? new Int8Array(components);
      distances[at] = distanceTo(stored, (chosen.rows[at] ?? 0) * components);
    }
    for (const at of places) if (Number.isNaN(distances[at])) damaged.add(candidates.ids[at] ?? 0);
    const nameOf = (at: number) => parts[chosen.parts[at] ?? 0]?.segment.mems[chosen.rows[at] ?? 0] ?? "";
    const isNearer = (one: number, other: number) => {
      const [near = 0, far = 0] = [distances[one], distances[other]];
      return near < far || (near === far && nameOf(one) < nameOf(other));
    };
    const sound = places.filter((at) => !Number.isNaN(distances[at]));
    return topK(sound, search.k, isNearer).map((at) => {
      return { row: candidates.ids[at] ?? 0, id: nameOf(at), distance: distances[at] ?? 0 };
    });
  });
  const told = toldRows(search, new Set(nearest.flat().map(({ row }) => row)));
  return nearest.map((hits) =>
    hits.flatMap(({ row, id, distance }) => (told.get(row) === id ? [{ id, distance }] : [])),
  );
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
      const { bits, has, damaged } = segmentBits(search.db, segment, space, words);
      const admitted = withBits(seenRows(segment, search.scope, search.filter, repository), has);
      return { segment, bits, bytes: new Uint8Array(bits.buffer), words, ids: segment.ids, admitted, damaged };
    }),
  );
}

const admittedWithBits = new WeakMap<SeenRows, { readonly has: Uint8Array; readonly admitted: Uint8Array }>();

/** 1 where a row is admitted and has bits. */
function withBits(seen: SeenRows, has: Uint8Array): Uint8Array {
  const known = admittedWithBits.get(seen);
  if (known?.has === has) return known.admitted;
  const admitted = new Uint8Array(has.length);
  for (let row = 0; row < has.length; row += 1) {
    admitted[row] = ((seen.mask[row] ?? 0) & ADMITTED) === 0 ? 0 : (has[row] ?? 0);
  }
  admittedWithBits.set(seen, { has, admitted });
  return admitted;
}

type BitPart = ReturnType<typeof bitParts>[number];

function asCandidates(parts: readonly BitPart[], { parts: lies, rows }: ChosenRows): BitCandidates {
  const ids = new Float64Array(rows.length);
  const offsets = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const part = parts[lies[at] ?? 0];
    const row = rows[at] ?? 0;
    ids[at] = part?.ids[row] ?? 0;
    offsets[at] = row * (part?.words ?? 0) * 4;
  }
  return { ids, bytes: parts.map(({ bytes }) => bytes), in: lies, offsets };
}

/** The places of the candidates that are worth measuring. */
function promising(query: Float32Array, { mean }: StoredSpace, candidates: BitCandidates, k: number): number[] {
  const centred = query.slice();
  for (let at = 0; mean !== null && at < centred.length; at += 1) centred[at] = (query[at] ?? 0) - (mean[at] ?? 0);
  return rankByBits(centred, candidates, rowsFor(MEASURED, query.length, k));
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

function rowsFor(step: typeof CANDIDATES, bits: number, k: number): number {
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

function nearer(one: VectorHit, other: VectorHit): boolean {
  return one.distance < other.distance || (one.distance === other.distance && one.id < other.id);
}
