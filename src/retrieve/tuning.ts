// What is fixed in production and turned only by measurements: how wide to search, and which steps are on.
import type { Corpus } from "../domain/memory.ts";
import type { QueryVariant } from "../domain/retrieval.ts";
import { HUNKS } from "./choose-hunks.ts";
import { RRF_K } from "./fuse.ts";
import type { Pooling } from "./pool.ts";
import { RARE_WORDS } from "./relevance-floor.ts";

export interface Tuning {
  /** Hits of each list before anything is cut: what a later step reorders must have been found. */
  readonly overFetch: number;
  readonly k: number;
  readonly pooling: Pooling;
  readonly hunks: number;
  /** Which kinds of query are asked. */
  readonly variants: ReadonlySet<QueryVariant["kind"]>;
  /** False admits what is farther than the threshold and below the floor for words. */
  readonly floors: boolean;
  /** False lets the ranked list be as long as topK whatever its characters. */
  readonly budget: boolean;
  readonly rareWords: number;
  readonly perFile: number | null;
  readonly language: boolean;
  readonly recency: boolean;
  readonly outcome: boolean;
  readonly sourceWeights: ReadonlyMap<Corpus, number>;
  /** `code` is searched only where a measurement asks for it. */
  readonly corpora: readonly Corpus[];
  readonly shadowShare: number;
}

export const TUNING: Tuning = {
  overFetch: 50,
  k: RRF_K,
  pooling: "max",
  hunks: HUNKS,
  variants: new Set<QueryVariant["kind"]>(["intent", "paths", "code", "hunk"]),
  floors: true,
  budget: true,
  rareWords: RARE_WORDS,
  perFile: null,
  language: true,
  recency: true,
  outcome: true,
  sourceWeights: new Map<Corpus, number>(),
  corpora: ["finding", "review_comment", "doc", "wiki"],
  shadowShare: 0.05,
};
