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
  const hits = facts(found);
  // What `reciprocalRank` of both lists gives: the ranks are known by now.
  for (const hit of hits) {
    if (hit.vectorRank !== null) hit.score += weights.vector / (k + hit.vectorRank);
    if (hit.keywordRank !== null) hit.score += weights.keyword / (k + hit.keywordRank);
  }
  return hits.sort(byScore);
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
  const hits = facts(found);
  for (const hit of hits) {
    const near = hit.distance === null ? 0 : Math.max(0, 1 - hit.distance);
    const words = hit.keywordScore === null || most <= 0 ? 0 : hit.keywordScore / most;
    hit.score = alpha * near + (1 - alpha) * words;
  }
  return hits.sort(byScore);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What both lists say of each, in the order in which they first name it; no score yet. */
function facts({ nearest, matching }: QueryCandidates): Mutable<FusedHit>[] {
  const known = new Map<string, Mutable<FusedHit>>();
  const hitOf = (id: string) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const hit = { id, score: 0, distance: null, vectorRank: null, keywordRank: null, keywordScore: null };
    known.set(id, hit);
    return hit;
  };
  let rank = 0;
  for (const { id, distance } of nearest) {
    const hit = hitOf(id);
    if (hit.vectorRank !== null) continue;
    rank += 1;
    hit.vectorRank = rank;
    hit.distance = distance;
  }
  rank = 0;
  for (const { id, score } of matching) {
    const hit = hitOf(id);
    if (hit.keywordRank !== null) continue;
    rank += 1;
    hit.keywordRank = rank;
    hit.keywordScore = score;
  }
  return [...known.values()];
}
