// Nearest by meaning, in three steps that each look at fewer rows more closely: sign bits against sign bits, the query
// against sign bits, the query against bytes. The first is done in SQL or in memory, with the same answer; the last
// tells, through a query that carries the scope.
import type { VectorHit } from "../../domain/retrieval.ts";
import { filterSql } from "./filter-rows.ts";
import { nearestBits } from "./nearest-bits.ts";
import { prepared } from "./prepared.ts";
import { cosineDistance, toBits } from "./quantise-vector.ts";
import { type BitCandidate, rankByBits } from "./rank-by-bits.ts";
import { ADMITTED, rowMask } from "./row-mask.ts";
import { scopeSql } from "./scope-sql.ts";
import type { Search } from "./search.ts";
import { segmentBits } from "./segment.ts";
import type { AdmittedRepository, Shelves } from "./shelves.ts";
import type { StoredSpace } from "./stored-space.ts";
import { topK } from "./top-k.ts";

/**
 * Rows chosen bits against bits, at 1024 bits: by 200, 5 % of the true nearest 20 of hashed text are lost, by 1000 under
 * 1 %. Fewer bits tell less, so that shorter vectors take more rows.
 */
const CANDIDATES = { rows: 1000, most: 4000, perHit: 10 };
/** Rows whose bytes are read, at about 7 µs each, at 1024 bits. */
const MEASURED = { rows: 300, most: 1200, perHit: 6 };
const BITS = 1024;

/** Candidates by a scan in SQL (sqlite-vec). */
export function nearestInFile(search: Search, query: Float32Array, space: StoredSpace): BitCandidate[] {
  const scope = scopeSql(search.scope);
  const filter = filterSql(search.filter);
  const bits = toBits(query, space.mean);
  // sqlite-vec throws at bits of another length. Those come first here, so that a row that was damaged is noticed in the
  // same scan and costs only itself.
  const distance =
    "CASE WHEN length(b.b) = length(@bits) THEN vec_distance_hamming(vec_bit(b.b), vec_bit(@bits)) ELSE -1 END";
  const rows = prepared(
    search.db,
    `SELECT b.id, b.b FROM repositories p CROSS JOIN vec_bit b ON b.repo = p.id AND b.space = @space CROSS JOIN records r ON r.id = b.id
       WHERE ${scope.rows} AND ${filter.rows}
       ORDER BY ${distance}, b.id LIMIT @limit`,
  ).raw();
  const limit = rowsFor(CANDIDATES, query.length, search.k);
  const find = (most: number) =>
    rows.all({ ...scope.values, ...filter.values, space: space.id, bits, limit: most }) as [number, Uint8Array][];
  const isSound = ([, found]: readonly [number, Uint8Array]) => found.length === bits.length;
  const first = find(limit);
  const damaged = first.length - first.filter(isSound).length;
  tellDamaged(search, damaged);
  // More than the first search can show are damaged only in a file that is damaged as a whole.
  const sound = damaged === 0 ? first : find(limit + damaged).filter(isSound);
  return sound.map(([id, bytes]) => ({ id, bytes, offset: 0 }));
}

function tellDamaged(search: Search, count: number): void {
  if (count === 0) return;
  const rows = count === 1 ? "the vector of a memory is" : `the vectors of ${count} memories are`;
  search.tell("damaged-vectors", `${rows} damaged and not compared; words still find them`);
}

/** Candidates by a scan over bits in memory. */
export function nearestInMemory(
  search: Search,
  query: Float32Array,
  space: StoredSpace,
  repositories: readonly AdmittedRepository[],
  shelves: Shelves,
): BitCandidate[] {
  const words = query.length / 32;
  const parts = repositories.flatMap((repository) =>
    shelves.segments(repository).map((segment) => {
      const mask = rowMask(segment, search.scope, search.filter, repository.own);
      const { bits, has, damaged } = segmentBits(search.db, segment, space, words);
      tellDamaged(search, damaged);
      const admitted = mask.map((of, row) => ((of & ADMITTED) === 0 ? 0 : (has[row] ?? 0)));
      return { bits, bytes: new Uint8Array(bits.buffer), words, ids: segment.ids, admitted };
    }),
  );
  const wanted = rowsFor(CANDIDATES, query.length, search.k);
  const chosen = nearestBits(parts, new Uint32Array(toBits(query, space.mean).buffer), wanted);
  return chosen.map(({ part, row }) => ({ id: part.ids[row] ?? 0, bytes: part.bytes, offset: row * words * 4 }));
}

/** Measures the most promising candidates and tells the k nearest; what scope or filter do not admit is not told. */
export function tellNearest(
  search: Search,
  query: Float32Array,
  space: StoredSpace,
  candidates: readonly BitCandidate[],
): VectorHit[] {
  const mean = space.mean;
  const centred = mean === null ? query : query.map((value, at) => value - (mean[at] ?? 0));
  const ids = rankByBits(centred, candidates, rowsFor(MEASURED, query.length, search.k));
  const scope = scopeSql(search.scope);
  const filter = filterSql(search.filter);
  const rows = prepared(
    search.db,
    `SELECT r.mem, v.v FROM json_each(@ids) j CROSS JOIN records r ON r.id = j.value
       CROSS JOIN repositories p ON p.id = r.repo CROSS JOIN vec_i8 v ON v.id = r.id
       WHERE v.space = @space AND ${scope.rows} AND ${filter.rows}`,
  )
    .raw()
    .iterate({ ...scope.values, ...filter.values, space: space.id, ids: JSON.stringify(ids) }) as Iterable<
    [string, Uint8Array]
  >;
  let damaged = 0;
  const best = topK(
    measured(rows, query, () => {
      damaged += 1;
    }),
    search.k,
    nearer,
  );
  tellDamaged(search, damaged);
  return best;
}

function rowsFor(step: typeof CANDIDATES, bits: number, k: number): number {
  const forBits = Math.min(step.most, Math.max(step.rows, Math.round((step.rows * BITS) / bits)));
  return Math.max(forBits, k * step.perHit);
}

/** Distances of what can be measured; a vector of another size, or of no direction, is told as damaged. */
function* measured(
  rows: Iterable<[string, Uint8Array]>,
  query: Float32Array,
  onDamaged: () => void,
): Generator<VectorHit> {
  for (const [id, bytes] of rows) {
    const stored = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    const distance = stored.length === query.length ? cosineDistance(query, stored) : Number.NaN;
    if (Number.isNaN(distance)) onDamaged();
    else yield { id, distance };
  }
}

function nearer(one: VectorHit, other: VectorHit): boolean {
  return one.distance < other.distance || (one.distance === other.distance && one.id < other.id);
}
