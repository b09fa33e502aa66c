// What is fixed in production and turned only by measurements: how wide to search, and which steps are on.
import type { Corpus } from "../domain/memory.ts";
import type { QueryVariant } from "../domain/retrieval.ts";
import { type QueryLength, SHORT_QUERIES } from "./model/model-written-queries.ts";
import type { RerankTuning } from "./model/rerank.ts";
import { HUNKS, VARIANT_PATHS } from "./query/build-query.ts";
import { FACTOR_NAMES, type FactorName } from "./rank/factors.ts";
import { type Pooling, RRF_K } from "./rank/fusion.ts";
import { RERANK, type RerankConfig } from "./rank/language.ts";
import { RARE_WORDS } from "./rank/threshold.ts";

export interface Tuning {
  /** Hits of each list before anything is cut: what a later step reorders must have been found. */
  readonly overFetch: number;
  readonly k: number;
  readonly pooling: Pooling;
  readonly hunks: number;
  /** Paths that stand in the query of kind `paths`. */
  readonly paths: number;
  /** Which kinds of query are asked. */
  readonly variants: ReadonlySet<QueryVariant["kind"]>;
  /** How long the queries are that a model writes, where it does. */
  readonly queryLength: QueryLength;
  /** False admits what is farther than the threshold and below the floor for words. */
  readonly floors: boolean;
  /** False takes the configured threshold as it is, whatever the candidates' distances. */
  readonly adaptive: boolean;
  /** False lets the ranked list be as long as topK whatever its characters. */
  readonly budget: boolean;
  /** False keeps near-identical texts apart: the order itself is judged so. */
  readonly fold: boolean;
  readonly rareWords: number;
  /** Which of the factors count. */
  readonly factors: readonly FactorName[];
  /** How far distances are weighed by language, where the method orders by distance. */
  readonly byLanguage: RerankConfig;
  /** `code` is searched only where a measurement asks for it. */
  readonly corpora: readonly Corpus[];
  readonly shadowShare: number;
  readonly rerank: RerankTuning;
}

export const TUNING: Tuning = {
  overFetch: 50,
  k: RRF_K,
  pooling: "max",
  hunks: HUNKS,
  paths: VARIANT_PATHS,
  variants: new Set<QueryVariant["kind"]>(["intent", "paths", "code", "hunk"]),
  queryLength: SHORT_QUERIES,
  floors: true,
  adaptive: true,
  budget: true,
  fold: true,
  rareWords: RARE_WORDS,
  factors: FACTOR_NAMES,
  byLanguage: RERANK,
  corpora: ["finding", "review_comment", "doc", "wiki"],
  shadowShare: 0.05,
  rerank: {
    most: 50,
    k: 60,
    keep: null,
  },
};
