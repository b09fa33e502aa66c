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
  const all = together(perQuery);
  if (how === "best-rank") for (const { hit, bestRank } of all) hit.score = 1 / bestRank;
  if (how === "rrf") {
    const scores = rrfScores(perQuery);
    for (const { hit } of all) hit.score = scores.get(hit.id) ?? 0;
  }
  return all.map(({ hit }) => hit).sort(byScore);
}

function together(perQuery: readonly (readonly FusedHit[])[]): readonly Pooled[] {
  const pooled = new Map<string, Pooled>();
  for (const list of perQuery) {
    for (const [index, hit] of list.entries()) {
      const before = pooled.get(hit.id);
      if (before === undefined) pooled.set(hit.id, { hit: { ...hit }, bestRank: index + 1 });
      else addTo(before, hit, index + 1);
    }
  }
  return [...pooled.values()];
}

function rrfScores(perQuery: readonly (readonly FusedHit[])[]): ReadonlyMap<string, number> {
  const lists = perQuery.map((list) => ({ ids: list.map(({ id }) => id), weight: 1 }));
  return new Map(reciprocalRank(lists).map(({ id, score }) => [id, score]));
}

interface Pooled {
  readonly hit: { -readonly [Key in keyof FusedHit]: FusedHit[Key] };
  bestRank: number;
}

function addTo(pooled: Pooled, other: FusedHit, rank: number): void {
  const { hit } = pooled;
  hit.score = Math.max(hit.score, other.score);
  hit.distance = least(hit.distance, other.distance);
  hit.vectorRank = least(hit.vectorRank, other.vectorRank);
  hit.keywordRank = least(hit.keywordRank, other.keywordRank);
  hit.keywordScore = most(hit.keywordScore, other.keywordScore);
  pooled.bestRank = Math.min(pooled.bestRank, rank);
}

function least(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function most(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
