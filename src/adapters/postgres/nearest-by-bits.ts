// Nearest in a large scope: first by sign bits, a sixteenth of what there is to read, then by the vectors of those that may be among the
// best. Bits are read once for all texts of a review.
import { LRUCache } from "lru-cache";
import type { VectorHit } from "../../domain/retrieval.ts";
import type { CountedRepository } from "./admitted.ts";
import { byPlace, isNarrow, type NearestQuestion, type PlacedHit } from "./question.ts";
import { filterSql, parameters, scopeSql } from "./scope-sql.ts";
import type { Sql } from "./sql.ts";
import { signBits } from "./vector-bits.ts";
import { halfvec } from "./write-records.ts";

/** From so many rows on bits go first; one that shrinks is compared by all its vectors again below the other number. */
export interface BitRows {
  readonly from: number;
  readonly below: number;
}

/**
 * The database's processor time for the eleven texts of a review, in turn on one server with repositories of all these sizes (PostgreSQL 17,
 * pgvector 0.8, two cores of an AMD EPYC at a load of 11, which makes both dearer): all compared took 53, 99, 243 and 570 ms at 10,000,
 * 20,000, 50,000 and 100,000 memories, by bits 82, 121, 226 and 382 ms with .992–.994 of the same 20. They meet near 43,000. Among the
 * memories of one language in eight comparing all wins throughout (71 and 115 ms at 50,000): a narrow question never goes by bits.
 */
export const BIT_ROWS: BitRows = { from: 50_000, below: 40_000 };
/** Candidates: of the true 20 all but one in a hundred are among the nearest thousand by bits (rotate-vector.ts says why). */
const CANDIDATES = 1_000;

/** Whether bits go first; it remembers what it chose for a scope, so that one of about that size does not go to and fro. */
export function bitChoice({ from, below }: BitRows) {
  const chosen = new LRUCache<string, boolean>({ max: 1_000 });
  const complete = new LRUCache<string, boolean>({ max: 1_000 });
  return async (sql: Sql, repositories: readonly CountedRepository[], of: NearestQuestion): Promise<boolean> => {
    if (isNarrow(of)) return false;
    const rows = repositories.reduce((sum, one) => sum + one.rows, 0);
    const scope = repositories.map(({ id }) => id).join();
    const isLarge = rows >= (chosen.get(scope) === true ? below : from);
    chosen.set(scope, isLarge);
    if (!isLarge) return false;
    const state = JSON.stringify([of.space, repositories.map(({ id, version }) => [id, version])]);
    const known = complete.get(state) ?? (await haveBits(sql, repositories, of.space));
    complete.set(state, known);
    return known;
  };
}

/** Older processes write none, and they are made in the background: until all are there nobody relies on them. */
async function haveBits(sql: Sql, repositories: readonly CountedRepository[], space: number): Promise<boolean> {
  const row = await sql.one<{ same: boolean }>(
    `SELECT (SELECT count(*) FROM vectors WHERE repo = ANY ($1::bigint[]) AND space = $2)
          = (SELECT count(*) FROM vector_bits WHERE repo = ANY ($1::bigint[]) AND space = $2) AS same`,
    [repositories.map(({ id }) => id), space],
  );
  return row?.same === true;
}

/**
 * By bits, then by the vectors of the nearest by bits; among equals that are told the smaller id comes first. What scope and filter do not
 * admit is no candidate.
 */
export async function nearestByBits(
  sql: Sql,
  { scope, k, filter, paths, space }: NearestQuestion,
  repositories: readonly CountedRepository[],
  queries: readonly Float32Array[],
): Promise<readonly (readonly VectorHit[])[]> {
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const admitted = filterSql(filter, paths, given);
  const ids = given.at(repositories.map(({ id }) => id));
  const distances = queries.map((query, at) => `b.b <~> ${given.at(signBits(query))}::varbit AS d${at}`);
  const lists = queries.map((_, at) => `(SELECT ${at} AS place, id FROM seen ORDER BY d${at} LIMIT ${CANDIDATES + k})`);
  // Those few that are not admitted are taken away: joining all that are would cost as much again. `OFFSET 0`: each candidate is looked
  // up by its id, whatever the planner thinks of reading all instead.
  const hits = await sql.all<PlacedHit>(
    `WITH seen AS MATERIALIZED (
       SELECT b.id, ${distances.join(", ")} FROM vector_bits b
       WHERE b.repo = ANY (${ids}::bigint[]) AND b.space = ${given.at(space)} AND NOT EXISTS (
         SELECT 1 FROM records r JOIN repositories p ON p.id = r.repo
         WHERE r.id = b.id AND r.repo = ANY (${ids}::bigint[]) AND (${rows} AND ${admitted}) IS NOT TRUE)),
     found AS MATERIALIZED (${lists.join(" UNION ALL ")}),
     asked AS MATERIALIZED (
       SELECT place - 1 AS place, text::halfvec AS vector FROM unnest(${given.at(queries.map(halfvec))}::text[]) WITH ORDINALITY AS x (text, place)),
     ranked AS (
       SELECT place, f.id, v.distance, rank() OVER (PARTITION BY place ORDER BY v.distance) AS rank
       FROM found f JOIN asked q USING (place)
         CROSS JOIN LATERAL (SELECT v <=> q.vector AS distance FROM vectors WHERE id = f.id OFFSET 0) v)
     SELECT h.place, r.mem AS id, h.distance
     FROM ranked h CROSS JOIN LATERAL (SELECT * FROM records WHERE id = h.id OFFSET 0) r JOIN repositories p ON p.id = r.repo
     WHERE h.rank <= ${given.at(k)} AND ${rows} AND ${admitted} ORDER BY h.place, h.distance, r.mem`,
    given.values,
  );
  return byPlace(hits, queries.length, k);
}
