// Of all that the queries found, the few whose records are read: ranks tell cheaply who stands a chance, and reading,
// comparing and weighing texts is the dear part of a search.
import { type FusedHit, fuseByRank, fuseByScore, type QueryCandidates, type RetrieverWeights } from "./fuse.ts";
import { type Pooling, pool } from "./pool.ts";

/**
 * Candidates that are worked out in full. No development query finds more than 193, so that the cut costs none of them anything;
 * one at 100, which meets a third of them, costs nothing on tasks G and H and half a point of R@10 on S (eval/README.md). Of the
 * 22 lists of a review of a large repository 200 are the first nine of each.
 */
export const SHORTLIST = 200;

/** Why the others are left out. */
export const BEHIND = `ranks behind the best ${SHORTLIST}`;

export interface Shortlisting {
  readonly fusion: "rrf" | "weighted" | "learned";
  /** What is ordered by distance is listed by it. */
  readonly method: "semantic" | "keyword" | "hybrid";
  readonly weights: RetrieverWeights;
  readonly pooling: Pooling;
  readonly k: number;
  /** Whatever ranks: memories at most so far from a changed hunk are kept. */
  readonly nearHunk: number;
}

/**
 * @returns ids, each once, without order: `listed` those that are worked out, `behind` the others; and the ranking that
 *   they were taken from
 */
export function shortlist(
  queries: readonly QueryCandidates[],
  { fusion, method, weights, pooling, k, nearHunk }: Shortlisting,
): {
  readonly listed: readonly string[];
  readonly behind: readonly string[];
  readonly order: readonly FusedHit[];
} {
  const fuse = fusion === "weighted" ? fuseByScore : fuseByRank;
  const hits = pool(
    queries.map((query) => fuse(query, weights, k)),
    pooling,
  );
  if (hits.length <= SHORTLIST) return { listed: hits.map(({ id }) => id), behind: [], order: hits };
  const byDistance = (one: number | null, other: number | null) => (one ?? 2) - (other ?? 2);
  const order = method === "semantic" ? hits.toSorted((a, b) => byDistance(a.distance, b.distance)) : hits;
  const kept = new Set(order.slice(0, SHORTLIST).map(({ id }) => id));
  for (const { variant, nearest } of queries) {
    if (variant.kind !== "hunk") continue;
    for (const { id, distance } of nearest) if (distance <= nearHunk) kept.add(id);
  }
  const ids = hits.map(({ id }) => id);
  return { listed: ids.filter((id) => kept.has(id)), behind: ids.filter((id) => !kept.has(id)), order: hits };
}
