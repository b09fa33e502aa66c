// How the lists of all queries become one order: one function value, chosen by the configuration. A learned fusion fits here.
import type { MemoryRecord } from "../domain/memory.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import { type FusedHit, fuseByRank, fuseByScore, type QueryCandidates, type RetrieverWeights } from "./fuse.ts";
import type { Steps } from "./in-turns.ts";
import { type Pooling, pool } from "./pool.ts";

/** All that may decide the order of the candidates. */
export interface Evidence {
  readonly queries: readonly QueryCandidates[];
  /** What RRF says of these queries with these weights, where it is known already. */
  readonly byRank?: readonly FusedHit[] | null;
  /** The records of all candidates that the scope admits, by id. */
  readonly records: ReadonlyMap<string, MemoryRecord>;
  readonly context: PullRequestContext;
  readonly signals: ReviewSignals;
  readonly weights: RetrieverWeights;
  readonly pooling: Pooling;
  readonly k: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface Fusion {
  readonly name: "rrf" | "weighted" | "learned";
  /** True when its scores hold language, recency and outcome already: no factor is applied a second time. */
  readonly complete: boolean;
  /** Best first, each id once. */
  readonly fuse: (evidence: Evidence) => readonly FusedHit[];
  /** The same in steps, where it takes long. */
  readonly steps?: (evidence: Evidence) => Steps<readonly FusedHit[]>;
  /** This fusion for one change, with what needs no records worked out: there is time for it while they are read. */
  readonly ahead?: (change: ChangeEvidence) => Fusion;
}

/** What is known of a change before anything is found. */
export type ChangeEvidence = Pick<Evidence, "context" | "signals" | "now">;

/** Reciprocal ranks of the retrievers of one query, then pooled over the queries. */
export const RRF: Fusion = {
  name: "rrf",
  complete: false,
  fuse: ({ queries, byRank, weights, pooling, k }) =>
    byRank ??
    pool(
      queries.map((query) => fuseByRank(query, weights, k)),
      pooling,
    ),
};

/** Weighted scores of the retrievers of one query, then pooled over the queries. */
export const WEIGHTED: Fusion = {
  name: "weighted",
  complete: false,
  fuse: ({ queries, weights, pooling }) =>
    pool(
      queries.map((query) => fuseByScore(query, weights)),
      pooling,
    ),
};

/** The fusion of that name; `learned` needs its table handed in and is `rrf` without one. */
export function fusionOf(name: Fusion["name"], learned: Fusion | null): Fusion {
  if (name === "weighted") return WEIGHTED;
  return name === "learned" && learned !== null ? learned : RRF;
}
