// Nearest by meaning. Every vector in scope is compared, which is exact and quick within a repository, and read once for all texts of
// a review; an index over all repositories would lose most of the answers as soon as a scope is asked for (pgvector filters after it
// has searched).
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { MemoryFilter, Scope, VectorHit } from "../../domain/retrieval.ts";
import type { TellDegraded } from "../../ports/memory.ts";
import { staleText } from "../memory/stale-text.ts";
import { type CountedRepository, repositoryLookUp } from "./admitted.ts";
import { type BitRows, bitChoice, nearestByBits } from "./nearest-by-bits.ts";
import { isWorthIndex, nearestByIndex } from "./nearest-by-index.ts";
import { byPlace, type NearestQuestion, type PlacedHit } from "./question.ts";
import { admittedPaths, filterSql, parameters, scopeSql } from "./scope-sql.ts";
import type { Postgres, Sql } from "./sql.ts";
import { halfvec } from "./write-records.ts";

export type NearestAll = (
  scope: Scope,
  vectors: readonly Float32Array[],
  space: EmbeddingSpace,
  k: number,
  filter: MemoryFilter,
  tell: TellDegraded,
) => Promise<readonly (readonly VectorHit[])[]>;

/** A search that takes longer is given up: a review is worth more than its memory. */
const PATIENCE_MS = 5_000;
/** What a search keeps of each row, some 130 bytes, stays in memory up to 200,000 rows; a server's 4 MB end at 30,000. */
const WORK_MEMORY = "32MB";
/** Texts of one statement: a review has eleven. */
const TOGETHER = 16;
/**
 * The k-th nearest of the first so many times k rows bounds the k-th nearest of all: of 20,000 rows a quarter is left to be sorted for eleven
 * texts, which takes 18 ms in place of 40.
 */
const BOUND_ROWS = 40;

/**
 * The search over an open database; vectors are of the space's dimension, finite and not all zero.
 *
 * @param large how many rows a scope of several repositories must have for an index to answer
 * @param bitRows how many rows a scope must have for sign bits to go first
 */
export function nearestAll(db: Postgres, large: number, bitRows: BitRows): NearestAll {
  const lookUp = repositoryLookUp();
  const isWorthBits = bitChoice(bitRows);
  const answer = async (
    sql: Sql,
    repositories: readonly CountedRepository[],
    of: NearestQuestion,
    vectors: readonly Float32Array[],
  ) => {
    const byIndex = (await isWorthIndex(sql, repositories, of, large)) ? await nearestByIndex(sql, of, vectors) : null;
    if (byIndex !== null) return byIndex;
    const ask = (await isWorthBits(sql, repositories, of)) ? nearestByBits : nearestOfAll;
    return together(vectors, (some) => ask(sql, of, repositories, some));
  };
  return (scope, vectors, space, k, filter, tell) =>
    db.snapshot(async (sql) => {
      await setLimits(sql);
      const repositories = await lookUp(sql, scope);
      const stored = await spaceId(sql, space);
      await tellOthers(sql, repositories, stored, tell);
      if (stored === null || k < 1) return vectors.map(() => []);
      const paths = await admittedPaths(sql, scope, filter);
      const of = { scope, k, filter, paths, space: stored, dimension: space.dimension };
      return answer(sql, repositories, of, vectors);
    });
}

/** In one statement, or in as few as may be. */
async function together(
  vectors: readonly Float32Array[],
  ask: (some: readonly Float32Array[]) => Promise<readonly (readonly VectorHit[])[]>,
): Promise<readonly (readonly VectorHit[])[]> {
  const found: (readonly VectorHit[])[] = [];
  for (let at = 0; at < vectors.length; at += TOGETHER) found.push(...(await ask(vectors.slice(at, at + TOGETHER))));
  return found;
}

async function setLimits(sql: Sql): Promise<void> {
  await sql.run(
    `SELECT set_config('statement_timeout', $1, true),
       CASE WHEN pg_size_bytes(current_setting('work_mem')) < pg_size_bytes($2) THEN set_config('work_mem', $2, true) END`,
    [String(PATIENCE_MS), WORK_MEMORY],
  );
}

async function spaceId(sql: Sql, { model, dimension }: EmbeddingSpace): Promise<number | null> {
  const row = await sql.one<{ id: number }>("SELECT id FROM spaces WHERE model = $1 AND dimension = $2", [
    model,
    dimension,
  ]);
  return row?.id ?? null;
}

/** By all vectors in scope: each is read once, whatever the number of questions. */
async function nearestOfAll(
  sql: Sql,
  { scope, k, filter, paths, space }: NearestQuestion,
  repositories: readonly CountedRepository[],
  queries: readonly Float32Array[],
): Promise<readonly (readonly VectorHit[])[]> {
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const admitted = filterSql(filter, paths, given);
  const ids = given.at(repositories.map(({ id }) => id));
  // The questions stand there as constants: as columns of a row they would be carried through the join, 2 kB each, for every memory.
  const distances = queries.map((query, at) => `v.v <=> ${given.at(halfvec(query))}::halfvec AS d${at}`);
  const bounds = queries.map(
    (_, at) =>
      `coalesce((SELECT d${at} FROM (SELECT d${at} FROM seen LIMIT ${k * BOUND_ROWS}) s ORDER BY 1 OFFSET ${k - 1} LIMIT 1), 'Infinity') AS b${at}`,
  );
  const within = queries.map((_, at) => `d${at} <= b${at}`);
  const lists = queries.map(
    (_, at) => `(SELECT ${at} AS place, id, d${at} AS distance FROM few ORDER BY 3, 2 LIMIT ${k})`,
  );
  // Joined by a sum: no index has it, so that vectors are read in the order in which they lie and not looked up one by one.
  const hits = await sql.all<PlacedHit>(
    `WITH seen AS MATERIALIZED (
       SELECT r.mem AS id, ${distances.join(", ")}
       FROM repositories p JOIN records r ON r.repo = p.id JOIN vectors v ON v.id + 0 = r.id
       WHERE r.repo = ANY (${ids}::bigint[]) AND v.repo = ANY (${ids}::bigint[]) AND v.space = ${given.at(space)}
         AND ${rows} AND ${admitted}),
     bounds AS MATERIALIZED (SELECT ${bounds.join(", ")}),
     few AS MATERIALIZED (SELECT seen.* FROM seen CROSS JOIN bounds WHERE ${within.join(" OR ")})
     SELECT * FROM (${lists.join(" UNION ALL ")}) l ORDER BY place, distance, id`,
    given.values,
  );
  return byPlace(hits, queries.length, k);
}

/** Memories whose vector another embedder made are never compared, so somebody must be told how many they are. */
async function tellOthers(
  sql: Sql,
  repositories: readonly CountedRepository[],
  space: number | null,
  tell: TellDegraded,
): Promise<void> {
  const others = await sql.all<{ model: string; dimension: number; n: number }>(
    `SELECT s.model, s.dimension, o.n FROM spaces s CROSS JOIN LATERAL (
       SELECT count(*) AS n FROM vectors v JOIN records r ON r.id = v.id AND NOT r.stale
       WHERE v.repo = ANY ($1::bigint[]) AND v.space = s.id) o
     WHERE s.id IS DISTINCT FROM $2 AND o.n > 0 ORDER BY s.id`,
    [repositories.map(({ id }) => id), space],
  );
  if (others.length === 0) return;
  const rows = others.reduce((sum, { n }) => sum + n, 0);
  tell(
    "stale-vectors",
    staleText(
      rows,
      others.map(({ model, dimension }) => `${model}, ${dimension} numbers`),
    ),
  );
}
