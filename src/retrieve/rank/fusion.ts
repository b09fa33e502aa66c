// Merges the lists of several retrievers for one query. A fused score orders; it is never compared
// with a threshold.

import type { Knowledge } from "../../config/knowledge.ts";
import type { KeywordHit, QueryVariant, Strategy, VectorHit } from "../../domain/retrieval.ts";
import { fnv1a } from "../../domain/text/hash.ts";

/** The results of one query: both lists best first. */
export interface QueryCandidates {
  readonly variant: QueryVariant;
  readonly nearest: readonly VectorHit[];
  readonly matching: readonly KeywordHit[];
}

/** The weight of each retriever, ≥ 0. */
export interface RetrieverWeights {
  readonly vector: number;
  readonly keyword: number;
}

/** A candidate after fusion, with the facts of each retriever. Ranks count from 1. */
export interface FusedHit {
  readonly id: string;
  readonly score: number;
  readonly distance: number | null;
  readonly vectorRank: number | null;
  readonly keywordRank: number | null;
  readonly keywordScore: number | null;
}

/** The constant of reciprocal rank fusion (Cormack et al. 2009); 20–100 change little. */
const RRF_K = 60;

/** Fuses a query's two lists by reciprocal rank: the sum of weight / (k + rank), rank from 1. */
export function fuseByRank(found: QueryCandidates, weights: RetrieverWeights, k: number = RRF_K): readonly FusedHit[] {
  const hits = facts(found);
  for (const hit of hits) {
    if (hit.vectorRank !== null) hit.score += weights.vector / (k + hit.vectorRank);
    if (hit.keywordRank !== null) hit.score += weights.keyword / (k + hit.keywordRank);
  }
  return hits.sort(byScore);
}

/**
 * Fuses the two lists of one query by score: alpha × (1 − distance) + (1 − alpha) × BM25 / its
 * maximum in the list, where alpha is the vector's share of the weights. An id in one list scores
 * that part only; alpha 1 is the order of distance, alpha 0 the order of BM25. Distances over 1
 * count as 1.
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

/** The facts of both lists about each id, in the order of first mention; without a score. */
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

// Pools the queries of one pull request into one list. RRF suits the retrievers of one query and
// was the worst way to pool queries on every measured corpus, so a memory ranks by its best query.

/** The best fused score; or, for evaluations: 1 / the best rank, or the sum of 1 / (k + rank). */
export type Pooling = "max" | "best-rank" | "rrf";

/**
 * Pools the fused lists of several queries; each id once, with the smallest distance, the best
 * ranks and the best BM25.
 *
 * @param perQuery one list per query, best first
 * @returns best first; ties by hash of the id
 */
export function pool(
  perQuery: readonly (readonly FusedHit[])[],
  how: Pooling = "max",
  k: number = RRF_K,
): readonly FusedHit[] {
  const pooled = new Map<string, { readonly hit: Mutable<FusedHit>; readonly ranks: number[] }>();
  for (const list of perQuery) {
    for (const [index, hit] of list.entries()) {
      const known = pooled.get(hit.id) ?? { hit: { ...hit }, ranks: [] };
      pooled.set(hit.id, known);
      known.ranks.push(index + 1);
      addTo(known.hit, hit);
    }
  }
  for (const { hit, ranks } of pooled.values()) {
    if (how === "best-rank") hit.score = 1 / Math.min(...ranks);
    if (how === "rrf") hit.score = ranks.reduce((sum, rank) => sum + 1 / (k + rank), 0);
  }
  return [...pooled.values()].map(({ hit }) => hit).sort(byScore);
}

function addTo(hit: Mutable<FusedHit>, other: FusedHit): void {
  const best = (one: number | null, another: number | null, choose: (...of: number[]) => number) =>
    one === null || another === null ? (one ?? another) : choose(one, another);
  hit.score = Math.max(hit.score, other.score);
  hit.distance = best(hit.distance, other.distance, Math.min);
  hit.vectorRank = best(hit.vectorRank, other.vectorRank, Math.min);
  hit.keywordRank = best(hit.keywordRank, other.keywordRank, Math.min);
  hit.keywordScore = best(hit.keywordScore, other.keywordScore, Math.max);
}

// Shortlists the candidates whose records are read: ranks cheaply show which ones have a chance,
// and reading, comparing and weighing texts is the expensive part of a search.

/**
 * Candidates that are fully evaluated. Against 200, which no development query exceeds, 128 cost
 * nothing on task G and .001 of R@10 on S; 100 cost .005 (eval/README.md). Reading and comparing
 * their texts is half of the time of a search.
 */
export const SHORTLIST = 128;

export const BEHIND = `ranks behind the best ${SHORTLIST}`;

interface Shortlisting {
  readonly fusion: Knowledge["retrieval"]["fusion"];
  /** `semantic` lists by distance. */
  readonly method: "semantic" | "keyword" | "hybrid";
  readonly weights: RetrieverWeights;
  readonly pooling: Pooling;
  /** Memories at most this far from a changed hunk are always kept. */
  readonly nearHunk: number;
}

/**
 * @returns ids, each once, without order: `listed` are fully evaluated, `behind` are the others;
 * and all hits with their fused score, best first
 */
export function shortlist(
  queries: readonly QueryCandidates[],
  { fusion, method, weights, pooling, nearHunk }: Shortlisting,
): {
  readonly listed: readonly string[];
  readonly behind: readonly string[];
  readonly hits: readonly FusedHit[];
} {
  const fuse = fusion === "weighted" ? fuseByScore : fuseByRank;
  const hits = pool(
    queries.map((query) => fuse(query, weights)),
    pooling,
  );
  const ids = hits.map(({ id }) => id);
  if (hits.length <= SHORTLIST) return { listed: ids, behind: [], hits };
  const order = method === "semantic" ? hits.toSorted((a, b) => (a.distance ?? 2) - (b.distance ?? 2)) : hits;
  const kept = new Set(order.slice(0, SHORTLIST).map(({ id }) => id));
  for (const { variant, nearest } of queries)
    for (const { id, distance } of variant.kind === "hunk" ? nearest : []) if (distance <= nearHunk) kept.add(id);
  return { listed: ids.filter((id) => kept.has(id)), behind: ids.filter((id) => !kept.has(id)), hits };
}

// The gate's strategy only changes the weight of each retriever. It never switches one off.

const WEIGHTS: Readonly<Record<Strategy, RetrieverWeights>> = {
  semantic: { vector: 1, keyword: 0.6 },
  keyword: { vector: 0.6, keyword: 1 },
  hybrid: { vector: 1, keyword: 1 },
  "related-files": { vector: 1, keyword: 1 },
};

/** Multiplies the retrievers' own weights by the strategy's factors, 1 without a strategy. */
export function strategyWeights(strategy: Strategy | null, own: RetrieverWeights): RetrieverWeights {
  const factors = WEIGHTS[strategy ?? "hybrid"];
  return { vector: own.vector * factors.vector, keyword: own.keyword * factors.keyword };
}

/** The configured weights for the weighted fusion; by rank, those of the embedder's quality. */
export function ownWeights(
  { fusion, weights }: Knowledge["retrieval"],
  embedder: { readonly weight: number } | null,
): RetrieverWeights {
  if (fusion === "weighted") return { vector: weights.semantic, keyword: weights.keyword };
  return { vector: embedder?.weight ?? 1, keyword: 1 };
}

/**
 * Compares two scored things: higher score first; equal scores by a hash of the id, so that the
 * order is the same on every machine and independent of where a candidate came from.
 */
export function byScore(
  a: { readonly id: string; readonly score: number },
  b: { readonly id: string; readonly score: number },
): number {
  return b.score - a.score || fnv1a(a.id) - fnv1a(b.id) || (a.id < b.id ? -1 : Number(a.id > b.id));
}
