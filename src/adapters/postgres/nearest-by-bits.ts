// Nearest in a large scope: first by sign bits, a sixteenth of what there is to read, then by the vectors of those that may be among the
// best. 100,000 vectors in one repository took 139 ms so and 492 ms all compared, on a busy machine, with .992 of the same 20.
import { LRUCache } from "lru-cache";
import type { VectorHit } from "../../domain/retrieval.ts";
import type { CountedRepository } from "./admitted.ts";
import type { NearestQuestion } from "./question.ts";
import { filterSql, parameters, scopeSql } from "./scope-sql.ts";
import type { Sql } from "./sql.ts";
import { bitsOf, signBits } from "./vector-bits.ts";

/** From so many rows on bits go first; one that shrinks is compared by all its vectors again below the other number. */
export interface BitRows {
  readonly from: number;
  readonly below: number;
}

/**
 * Comparing all grows with the rows (492 ms of 100,000), bits with their thousand look-ups hardly (139 ms): they meet near 30,000 if both are
 * lines, which was not measured. Below the limits nothing is missed, so they are set higher.
 */
export const BIT_ROWS: BitRows = { from: 50_000, below: 40_000 };
/** Candidates: of the true 20 all but one in a hundred are among the nearest thousand by bits (rotate-vector.ts says why). */
const CANDIDATES = 1_000;

/** Whether bits go first; it remembers what it chose for a scope, so that one of about that size does not go to and fro. */
export function bitChoice({ from, below }: BitRows) {
  const chosen = new LRUCache<string, boolean>({ max: 1_000 });
  const complete = new LRUCache<string, boolean>({ max: 1_000 });
  return async (sql: Sql, repositories: readonly CountedRepository[], of: NearestQuestion): Promise<boolean> => {
    // Whatever takes most rows away would leave too few of the candidates.
    const asksMore =
      of.scope.before !== null || of.paths !== null || Object.values(of.filter).some((one) => one?.length);
    if (asksMore) return false;
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

/** Null when fewer than were asked for are left of the candidates: then all are compared. */
export async function nearestByBits(
  sql: Sql,
  { scope, k, filter, paths, space, dimension }: NearestQuestion,
  repositories: readonly CountedRepository[],
  vector: Float32Array,
  query: string,
): Promise<readonly VectorHit[] | null> {
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const admitted = filterSql(filter, paths, given);
  const ids = given.at(repositories.map(({ id }) => id));
  const [size, bits] = [bitsOf(dimension), given.at(signBits(vector))];
  // `OFFSET 0`: each candidate is looked up by its id, whatever the planner thinks of reading all instead.
  const hits = await sql.all<VectorHit>(
    `WITH found AS MATERIALIZED (
       SELECT id FROM vector_bits WHERE repo = ANY (${ids}::bigint[]) AND space = ${given.at(space)}
       ORDER BY b::bit(${size}) <~> ${bits}::text::bit(${size}) LIMIT ${CANDIDATES + k})
     SELECT r.mem AS id, v.v <=> ${given.at(query)}::halfvec AS distance
     FROM found f CROSS JOIN LATERAL (SELECT * FROM vectors WHERE id = f.id OFFSET 0) v
       CROSS JOIN LATERAL (SELECT * FROM records WHERE id = f.id OFFSET 0) r JOIN repositories p ON p.id = r.repo
     WHERE ${rows} AND ${admitted} ORDER BY 2, r.mem LIMIT ${given.at(k)}`,
    given.values,
  );
  return hits.length < k ? null : hits;
}
