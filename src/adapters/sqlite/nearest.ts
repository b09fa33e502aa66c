// Nearest by meaning, in three steps that each look at fewer rows more closely: sign bits against sign bits, the query
// against sign bits, the query against bytes. Bits and bytes are read in SQL or in memory, with the same answer; what is
// told has passed a query that carries the scope.
import type { VectorHit } from "../../domain/retrieval.ts";
import { filterSql } from "./filter-rows.ts";
import { type ChosenRow, nearestBits } from "./nearest-bits.ts";
import { prepared } from "./prepared.ts";
import { cosineDistanceTo, toBits } from "./quantise-vector.ts";
import { type BitCandidate, rankByBits } from "./rank-by-bits.ts";
import { ADMITTED, type SeenRows, seenRows } from "./row-mask.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Search } from "./search.ts";
import { segmentBits, segmentVectors } from "./segment.ts";
import type { AdmittedRepository, Shelves } from "./shelves.ts";
import type { StoredSpace } from "./stored-space.ts";
import { toldRows } from "./told-rows.ts";
import { topK } from "./top-k.ts";

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
  const find = prepared(
    search.db,
    `SELECT b.id, b.b FROM repositories p CROSS JOIN vec_bit b ON b.repo = p.id AND b.space = @space CROSS JOIN records r ON r.id = b.id
       WHERE ${scope.rows} AND ${filter.rows}
       ORDER BY vec_distance_hamming(vec_bit(b.b), vec_bit(@bits)), b.id LIMIT @limit`,
  ).raw();
  return queries.map((query) => {
    const limit = rowsFor(CANDIDATES, query.length, search.k);
    const values = { ...scope.values, ...filter.values, space: space.id, bits: toBits(query, space.mean), limit };
    const rows = find.all(values) as [number, Uint8Array][];
    const candidates = rows.map(([id, bytes]) => ({ id, bytes, offset: 0 }));
    return measuredInFile(search, query, space, promising(query, space, candidates, search.k));
  });
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
  const ranked = nearestBits(parts, bits, wanted).map((chosen, at) => {
    const query = queries[at] ?? new Float32Array(components);
    return { query, rows: promising(query, space, chosen.map(asCandidate), search.k) };
  });
  if (!withVectors) return ranked.map(({ query, rows }) => measuredInFile(search, query, space, rows));
  const vectorsOf = new Map(parts.map((part) => [part, segmentVectors(search.db, part.segment, space, components)]));
  const nearest = ranked.map(({ query, rows }) => {
    const distanceTo = cosineDistanceTo(query);
    const measured = rows.map(({ id: row, of }) => {
      const vectors = vectorsOf.get(of.part) ?? new Int8Array();
      return { row, id: of.part.segment.mems[of.row] ?? "", distance: distanceTo(vectors, of.row * components) };
    });
    // A vector that is not there, or has no direction, has no distance.
    const sound = measured.filter(({ distance }) => !Number.isNaN(distance));
    return topK(sound, search.k, nearer);
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
      const { bits, has } = segmentBits(search.db, segment, space, words);
      const admitted = withBits(seenRows(segment, search.scope, search.filter, repository), has);
      return { segment, bits, bytes: new Uint8Array(bits.buffer), words, ids: segment.ids, admitted };
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

function asCandidate(of: ChosenRow<BitPart>) {
  const { part, row } = of;
  return { id: part.ids[row] ?? 0, bytes: part.bytes, offset: row * part.words * 4, of };
}

/** The rows that are worth measuring. */
function promising<Row extends BitCandidate>(
  query: Float32Array,
  { mean }: StoredSpace,
  candidates: readonly Row[],
  k: number,
): Row[] {
  const centred = query.slice();
  for (let at = 0; mean !== null && at < centred.length; at += 1) centred[at] = (query[at] ?? 0) - (mean[at] ?? 0);
  return rankByBits(centred, candidates, rowsFor(MEASURED, query.length, k));
}

/** Reads the bytes of rows, at a few µs each, and tells the k nearest; what scope or filter do not admit is not told. */
function measuredInFile(
  search: Search,
  query: Float32Array,
  space: StoredSpace,
  candidates: readonly BitCandidate[],
): VectorHit[] {
  const scope = scopeSql(search.scope);
  const filter = filterSql(search.filter);
  const ids = JSON.stringify(candidates.map(({ id }) => id));
  const rows = prepared(
    search.db,
    `SELECT r.mem, v.v FROM json_each(@ids) j CROSS JOIN records r ON r.id = j.value
       CROSS JOIN repositories p ON p.id = r.repo CROSS JOIN vec_i8 v ON v.id = r.id
       WHERE v.space = @space AND ${scope.rows} AND ${filter.rows}`,
  )
    .raw()
    .iterate({ ...scope.values, ...filter.values, space: space.id, ids }) as Iterable<[string, Uint8Array]>;
  return topK(measured(rows, query), search.k, nearer);
}

function rowsFor(step: typeof CANDIDATES, bits: number, k: number): number {
  const forBits = Math.min(step.most, Math.max(step.rows, Math.round((step.rows * BITS) / bits)));
  return Math.max(forBits, k * step.perHit);
}

function* measured(rows: Iterable<[string, Uint8Array]>, query: Float32Array): Generator<VectorHit> {
  const distanceTo = cosineDistanceTo(query);
  for (const [id, bytes] of rows) {
    if (bytes.length !== query.length) continue;
    yield { id, distance: distanceTo(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length), 0) };
  }
}

function nearer(one: VectorHit, other: VectorHit): boolean {
  return one.distance < other.distance || (one.distance === other.distance && one.id < other.id);
}
