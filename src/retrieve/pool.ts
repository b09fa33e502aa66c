// The several queries of one pull request become one list. RRF is right for the retrievers of one query and was the worst
// way to pool queries on every corpus measured, so a memory stands where its best query put it.
import { type FusedHit, reciprocalRank } from "./fuse.ts";
import { byScore } from "./tie-order.ts";

/** max: the best fused score; best-rank: 1 / the best rank; rrf: kept for measurements. */
export type Pooling = "max" | "best-rank" | "rrf";

/**
 * Pools the fused lists of several queries; each id once, with the smallest distance, the best ranks and the best BM25.
 *
 * @param perQuery one list a query, best first
 * @returns best first; ties by hash of the id
 */
export function pool(perQuery: readonly (readonly FusedHit[])[], how: Pooling = "max"): readonly FusedHit[] {
  const pooled = new Map<string, FusedHit>();
  const bestRank = new Map<string, number>();
  for (const list of perQuery) {
    for (const [index, hit] of list.entries()) {
      const before = pooled.get(hit.id);
      pooled.set(hit.id, before === undefined ? hit : better(before, hit));
      bestRank.set(hit.id, Math.min(bestRank.get(hit.id) ?? Number.POSITIVE_INFINITY, index + 1));
    }
  }
  if (how === "max") return [...pooled.values()].sort(byScore);
  const scores = how === "rrf" ? rrfScores(perQuery) : new Map([...bestRank].map(([id, rank]) => [id, 1 / rank]));
  return [...pooled.values()].map((hit) => ({ ...hit, score: scores.get(hit.id) ?? 0 })).sort(byScore);
}

function rrfScores(perQuery: readonly (readonly FusedHit[])[]): ReadonlyMap<string, number> {
  const lists = perQuery.map((list) => ({ ids: list.map(({ id }) => id), weight: 1 }));
  return new Map(reciprocalRank(lists).map(({ id, score }) => [id, score]));
}

function better(a: FusedHit, b: FusedHit): FusedHit {
  return {
    id: a.id,
    score: Math.max(a.score, b.score),
    distance: least(a.distance, b.distance),
    vectorRank: least(a.vectorRank, b.vectorRank),
    keywordRank: least(a.keywordRank, b.keywordRank),
    keywordScore: most(a.keywordScore, b.keywordScore),
  };
}

function least(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function most(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
