// Nearest by HNSW, for one case only: a scope of several repositories that holds most of what there is. Anything narrower would
// filter away what the index finds (of the true nearest 20 within one of 50 repositories it keeps 7) and is compared row by row.
import type { VectorHit } from "../../domain/retrieval.ts";
import type { CountedRepository } from "./admitted.ts";
import { isNarrow, type NearestQuestion } from "./question.ts";
import { filterSql, parameters, scopeSql } from "./scope-sql.ts";
import type { Postgres, Sql } from "./sql.ts";
import { halfvec } from "./write-records.ts";

/** Comparing so many rows takes about 50 ms: until then the exact answer is quick enough. */
export const LARGE = 50_000;
/** The share of a space's vectors that the scope must hold. */
const MOST = 0.5;
/** Rows that the index is asked for, beside k: those that scope and filter take away are made up for. */
const WIDTH = 400;
/** The share of them that scope and filter must leave: with fewer, the last that are told would be of the index's ragged end. */
const LEFT = 0.5;
/** pgvector's index takes no more components of half a float. */
const MOST_COMPONENTS = 4_000;

function indexName(space: number): string {
  return `vectors_nearest_${space}`;
}

/** Whether the index should answer; false where there is none that is complete. */
export async function isWorthIndex(
  sql: Sql,
  repositories: readonly CountedRepository[],
  of: NearestQuestion,
  large: number,
): Promise<boolean> {
  const rows = repositories.reduce((sum, one) => sum + one.rows, 0);
  if (repositories.length < 2 || rows < large || of.dimension > MOST_COMPONENTS || isNarrow(of)) return false;
  const index = await sql.one<{ rows: number }>(
    `SELECT c.reltuples::bigint AS rows FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indexrelid = to_regclass($1) AND i.indisvalid`,
    [indexName(of.space)],
  );
  return index !== null && rows >= index.rows * MOST;
}

/** Null when scope and filter left too few of what the index found for one of the texts: then none is answered by it. */
export async function nearestByIndex(
  sql: Sql,
  of: NearestQuestion,
  queries: readonly Float32Array[],
): Promise<readonly (readonly VectorHit[])[] | null> {
  // It was decided that the index answers: the planner, left alone, sometimes sorts all rows after all.
  await sql.run("SELECT set_config('hnsw.ef_search', $1, true), set_config('enable_sort', 'off', true)", [
    String(Math.min(1_000, WIDTH + of.k)),
  ]);
  const found: (readonly VectorHit[])[] = [];
  for (const query of queries) {
    const hits = await foundByIndex(sql, of, halfvec(query));
    if (hits === null) {
      await sql.run("SET LOCAL enable_sort = on");
      return null;
    }
    found.push(hits);
  }
  return found;
}

async function foundByIndex(
  sql: Sql,
  { scope, k, filter, paths, space, dimension }: NearestQuestion,
  query: string,
): Promise<readonly VectorHit[] | null> {
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const admitted = filterSql(filter, paths, given);
  const vector = `${given.at(query)}::halfvec(${dimension})`;
  const hits = await sql.all<VectorHit & { readonly left: number }>(
    `WITH found AS MATERIALIZED (
       SELECT id, v::halfvec(${dimension}) <=> ${vector} AS distance FROM vectors WHERE space = ${space}
       ORDER BY v::halfvec(${dimension}) <=> ${vector} LIMIT ${WIDTH + k})
     SELECT r.mem AS id, f.distance, count(*) OVER () AS left
     FROM found f JOIN records r ON r.id = f.id JOIN repositories p ON p.id = r.repo
     WHERE ${rows} AND ${admitted} ORDER BY f.distance, r.mem LIMIT ${given.at(k)}`,
    given.values,
  );
  if (hits.length < k || (hits[0]?.left ?? 0) < (WIDTH + k) * LEFT) return null;
  return hits.map(({ id, distance }) => ({ id, distance }));
}

/**
 * Builds the index of each space that is large and has none: minutes for a million vectors, during which everybody may read and
 * write. Where several repositories of an owner share what they learnt, searches over all of them are quick from then on.
 */
export async function buildIndexes(db: Postgres, large: number): Promise<void> {
  const spaces = await db.all<{ id: number; dimension: number; shared: number }>(
    `SELECT s.id, s.dimension, (SELECT count(*) FROM repositories WHERE gives) AS shared FROM spaces s`,
  );
  for (const { id, dimension, shared } of spaces) {
    if (shared < 2 || dimension > MOST_COMPONENTS || (await hasIndex(db, id))) continue;
    const many = await db.one("SELECT 1 FROM vectors WHERE space = $1 OFFSET $2 LIMIT 1", [id, large]);
    if (many === null) continue;
    await db.patiently(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${indexName(id)} ON vectors
         USING hnsw ((v::halfvec(${dimension})) halfvec_cosine_ops) WHERE space = ${id}`,
    );
  }
}

/** One that was not completed, and that nobody is building, is dropped: it would only cost. */
async function hasIndex(db: Postgres, space: number): Promise<boolean> {
  const index = await db.one<{ valid: boolean; building: boolean }>(
    `SELECT indisvalid AS valid,
       EXISTS (SELECT 1 FROM pg_stat_progress_create_index b WHERE b.index_relid = i.indexrelid) AS building
     FROM pg_index i WHERE indexrelid = to_regclass($1)`,
    [indexName(space)],
  );
  if (index === null) return false;
  if (!index.valid && !index.building) await db.patiently(`DROP INDEX CONCURRENTLY IF EXISTS ${indexName(space)}`);
  return index.valid || index.building;
}
