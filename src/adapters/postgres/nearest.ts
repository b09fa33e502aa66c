// Nearest by meaning. Every vector in scope is compared, which is exact and quick within a repository; an index over all
// repositories would lose most of the answers as soon as a scope is asked for (pgvector filters after it has searched).
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { MemoryFilter, Scope, VectorHit } from "../../domain/retrieval.ts";
import type { TellDegraded } from "../../ports/memory.ts";
import { staleText } from "../memory/stale-text.ts";
import { type CountedRepository, repositoryLookUp } from "./admitted.ts";
import { type BitRows, bitChoice, nearestByBits } from "./nearest-by-bits.ts";
import { isWorthIndex, nearestByIndex } from "./nearest-by-index.ts";
import type { NearestQuestion } from "./question.ts";
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

/**
 * The search over an open database; vectors are of the space's dimension, finite and not all zero.
 *
 * @param large how many rows a scope of several repositories must have for an index to answer
 * @param bitRows how many rows a scope must have for sign bits to go first
 */
export function nearestAll(db: Postgres, large: number, bitRows: BitRows): NearestAll {
  const lookUp = repositoryLookUp();
  const isWorthBits = bitChoice(bitRows);
  return (scope, vectors, space, k, filter, tell) =>
    db.snapshot(async (sql) => {
      await sql.run(`SET LOCAL statement_timeout = ${PATIENCE_MS}`);
      const repositories = await lookUp(sql, scope);
      const stored = await spaceId(sql, space);
      await tellOthers(sql, repositories, stored, tell);
      if (stored === null || k < 1) return vectors.map(() => []);
      const paths = await admittedPaths(sql, scope, filter);
      const of = { scope, k, filter, paths, space: stored, dimension: space.dimension };
      const queries = vectors.map((vector) => ({ vector, text: halfvec(vector) }));
      if (await isWorthIndex(sql, repositories, of, large))
        return quickly(sql, of, queries, ({ text }) => nearestByIndex(sql, of, text));
      if (await isWorthBits(sql, repositories, of))
        return quickly(sql, of, queries, ({ vector, text }) => nearestByBits(sql, of, repositories, vector, text));
      return nearestOfAll(
        sql,
        of,
        queries.map(({ text }) => text),
      );
    });
}

async function spaceId(sql: Sql, { model, dimension }: EmbeddingSpace): Promise<number | null> {
  const row = await sql.one<{ id: number }>("SELECT id FROM spaces WHERE model = $1 AND dimension = $2", [
    model,
    dimension,
  ]);
  return row?.id ?? null;
}

interface Query {
  readonly vector: Float32Array;
  readonly text: string;
}

/** One after the other; a question that the quick way does not answer is asked of all vectors. */
async function quickly(
  sql: Sql,
  of: NearestQuestion,
  queries: readonly Query[],
  ask: (query: Query) => Promise<readonly VectorHit[] | null>,
): Promise<readonly (readonly VectorHit[])[]> {
  const found: (readonly VectorHit[])[] = [];
  for (const query of queries) found.push((await ask(query)) ?? (await nearestOfAll(sql, of, [query.text]))[0] ?? []);
  return found;
}

/** By all vectors in scope; all questions in one trip. */
async function nearestOfAll(
  sql: Sql,
  { scope, k, filter, paths, space }: NearestQuestion,
  queries: readonly string[],
): Promise<readonly (readonly VectorHit[])[]> {
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const admitted = filterSql(filter, paths, given);
  // Ordered by a sum: no index has it, so that none is taken, whatever the planner thinks.
  const hits = await sql.all<VectorHit & { readonly place: number }>(
    `SELECT q.place, h.id, h.distance
     FROM unnest(${given.at(queries)}::text[]) WITH ORDINALITY AS asked (text, place)
     CROSS JOIN LATERAL (SELECT asked.text::halfvec AS vector, asked.place OFFSET 0) q
     CROSS JOIN LATERAL (
       SELECT r.mem AS id, v.v <=> q.vector AS distance
       FROM repositories p JOIN vectors v ON v.repo = p.id AND v.space = ${given.at(space)} JOIN records r ON r.id = v.id
       WHERE ${rows} AND ${admitted} ORDER BY (v.v <=> q.vector) + 0, r.mem LIMIT ${given.at(k)}) h
     ORDER BY q.place, h.distance, h.id`,
    given.values,
  );
  const found: VectorHit[][] = queries.map(() => []);
  for (const { place, id, distance } of hits) found[place - 1]?.push({ id, distance });
  return found;
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
