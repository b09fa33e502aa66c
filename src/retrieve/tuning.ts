// Settings that only evaluations vary: how wide to search, and which steps are on.
import type { QueryVariant } from "../domain/retrieval.ts";
import { type QueryLength, SHORT_QUERIES } from "./model/model-written-queries.ts";
import { VARIANT_PATHS } from "./query/build-query.ts";
import { FACTOR_NAMES, type FactorName } from "./rank/factors.ts";
import type { Pooling } from "./rank/fusion.ts";
import { LEAST_PROBABILITY } from "./rank/threshold.ts";

export interface Tuning {
  /** Hits of each list before anything is cut, so that later steps have enough to reorder. */
  readonly overFetch: number;
  readonly pooling: Pooling;
  readonly paths: number;
  readonly variants: ReadonlySet<QueryVariant["kind"]>;
  readonly queryLength: QueryLength;
  /** False admits hits beyond the threshold and below the least probability. */
  readonly floors: boolean;
  /** False uses the configured threshold unchanged, regardless of the candidates' distances. */
  readonly adaptive: boolean;
  /** False allows topK memories regardless of their characters. */
  readonly budget: boolean;
  /** False keeps near-identical texts apart, to evaluate the order itself. */
  readonly fold: boolean;
  /** Admits a memory whose distance does not, 0–1; above 1 none. */
  readonly leastProbability: number;
  readonly factors: readonly FactorName[];
  readonly shadowShare: number;
  /**
   * How many a reranker orders; null: as many as are used. Fewer candidates are not asked about.
   */
  readonly rerankKeep: number | null;
}

export const TUNING: Tuning = {
  overFetch: 50,
  pooling: "max",
  paths: VARIANT_PATHS,
  variants: new Set<QueryVariant["kind"]>(["intent", "paths", "code", "hunk"]),
  queryLength: SHORT_QUERIES,
  floors: true,
  adaptive: true,
  budget: true,
  fold: true,
  leastProbability: LEAST_PROBABILITY,
  factors: FACTOR_NAMES,
  shadowShare: 0.05,
  rerankKeep: null,
};
