// The lists of several retrievers for one query become one list. A fused score orders; it is never held against a threshold.
import type { KeywordHit, QueryVariant, VectorHit } from "../domain/retrieval.ts";
import { byScore } from "./tie-order.ts";

/** What one query found: both lists best first. */
export interface QueryCandidates {
  readonly variant: QueryVariant;
  readonly nearest: readonly VectorHit[];
  readonly matching: readonly KeywordHit[];
}

/** How much each retriever counts, ≥ 0. */
export interface RetrieverWeights {
  readonly vector: number;
  readonly keyword: number;
}

/** A candidate after fusion, with what each retriever said about it. Ranks count from 1. */
export interface FusedHit {
  readonly id: string;
  readonly score: number;
  readonly distance: number | null;
  readonly vectorRank: number | null;
  readonly keywordRank: number | null;
  readonly keywordScore: number | null;
}

/** The constant of reciprocal rank fusion as published (Cormack et al. 2009); 20–100 change little. */
export const RRF_K = 60;

/**
 * Reciprocal rank fusion: each list gives weight / (k + rank), rank from 1; an id's parts are added.
 *
 * Fits the retrievers of one query, and lists of several sources. A list of weight 0 still brings its ids in, at score 0.
 *
 * @returns best first; ties by hash of the id
 */
export function reciprocalRank(
  lists: readonly { readonly ids: readonly string[]; readonly weight: number }[],
  k: number = RRF_K,
): readonly { readonly id: string; readonly score: number }[] {
  const scores = new Map<string, number>();
  for (const { ids, weight } of lists) {
    for (const [index, id] of [...new Set(ids)].entries()) {
      scores.set(id, (scores.get(id) ?? 0) + weight / (k + index + 1));
    }
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort(byScore);
}

/** Fuses the two lists of one query by rank. */
export function fuseByRank(found: QueryCandidates, weights: RetrieverWeights, k: number = RRF_K): readonly FusedHit[] {
  const known = facts(found);
  const lists = [
    { ids: found.nearest.map(({ id }) => id), weight: weights.vector },
    { ids: found.matching.map(({ id }) => id), weight: weights.keyword },
  ];
  return reciprocalRank(lists, k).map(({ id, score }) => ({ ...factsOf(known, id), score }));
}

/**
 * Fuses the two lists of one query by score: alpha × (1 − distance) + (1 − alpha) × BM25 / its maximum in the list, where
 * alpha is the vector's share of the weights. An id in one list scores that part only; alpha 1 is the order of distance,
 * alpha 0 the order of BM25. Distances over 1 count as 1.
 */
export function fuseByScore(found: QueryCandidates, weights: RetrieverWeights): readonly FusedHit[] {
  const sum = weights.vector + weights.keyword;
  const alpha = sum > 0 ? weights.vector / sum : 0.5;
  const most = found.matching.reduce((best, { score }) => Math.max(best, score), 0);
  return [...facts(found).values()]
    .map((hit) => {
      const near = hit.distance === null ? 0 : Math.max(0, 1 - hit.distance);
      const words = hit.keywordScore === null || most <= 0 ? 0 : hit.keywordScore / most;
      return { ...hit, score: alpha * near + (1 - alpha) * words };
    })
    .sort(byScore);
}

function factsOf(known: ReadonlyMap<string, FusedHit>, id: string): FusedHit {
  return known.get(id) ?? unseen(id);
}

function facts({ nearest, matching }: QueryCandidates): ReadonlyMap<string, FusedHit> {
  const known = new Map<string, FusedHit>();
  for (const { id, distance } of nearest) {
    if (!known.has(id)) known.set(id, { ...unseen(id), distance, vectorRank: known.size + 1 });
  }
  let rank = 0;
  for (const { id, score } of matching) {
    const hit = known.get(id) ?? unseen(id);
    if (hit.keywordRank !== null) continue;
    rank += 1;
    known.set(id, { ...hit, keywordRank: rank, keywordScore: score });
  }
  return known;
}

function unseen(id: string): FusedHit {
  return { id, score: 0, distance: null, vectorRank: null, keywordRank: null, keywordScore: null };
}
