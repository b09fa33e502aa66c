// From a pull request to what was said before about code like it: the values that pass through the retrieve room.

import type { Quote } from "./finding.ts";
import type { Rejections } from "./memory/rejections.ts";
import type { Corpus, MemoryRecord, Outcome, RepoKey } from "./memory.ts";
import type { Purpose } from "./model.ts";
import type { Degraded } from "./omissions.ts";

/** How much each retriever counts; a strategy re-weights and never switches one off. */
export type Strategy = "semantic" | "hybrid" | "keyword" | "related-files";

/** Is memory needed for this pull request? */
export interface GateDecision {
  readonly retrieve: boolean;
  /** 0–1. */
  readonly confidence: number;
  /** Never empty. */
  readonly reason: string;
  readonly strategy: Strategy | null;
  /** 0–1, or null when nothing was estimated. */
  readonly estimatedRelevance: number | null;
  /** Which path decided: a rule's name, `model`, `cache`, `default`. */
  readonly decidedBy: string;
}

/** The reason of a gate that has nothing to search in. */
export const NOTHING_REMEMBERED = "nothing remembered yet";

/** One text to search with. Every text of a review is embedded in one request. */
export interface QueryVariant {
  readonly kind: "intent" | "paths" | "code" | "hunk" | "pattern" | "hypothetical";
  readonly text: string;
  /** Which hunk, for `hunk` and `code`; else null. */
  readonly path: string | null;
}

export interface RetrievalQuery {
  /** The enriched text: title, body excerpt, type, languages, risks, author tier, paths. */
  readonly text: string;
  /** What was left out: parts that the length cap dropped, lowest priority first; a made-up situation like nothing remembered. */
  readonly dropped: readonly string[];
  readonly variants: readonly QueryVariant[];
}

/** What may be searched. Built in one function; adapters apply it inside the search, never after it. */
export interface Scope {
  readonly repo: RepoKey;
  /** Other repositories of the same owner, when sharing is on; null keeps to the one repository. */
  readonly ownerPool: { readonly ownerId: number; readonly targetIsPublic: boolean } | null;
  /** Nothing that this pull request said about itself. */
  readonly excludePull: number | null;
  /** Only what was said before this epoch millisecond; null for now. */
  readonly before: number | null;
}

/** What is asked for within a scope. Absent or empty asks nothing. */
export interface MemoryFilter {
  readonly corpora?: readonly Corpus[];
  /** Canonical ids, exact. */
  readonly languages?: readonly string[];
  /** Kind of chunk, or for what was said in reviews its category or severity. */
  readonly chunkTypes?: readonly string[];
  /** Any of: exact path, prefix ending in `/`, glob. */
  readonly paths?: readonly string[];
}

/** Nearest by cosine. `distance` is 1 − cosine similarity, 0–2. */
export interface VectorHit {
  readonly id: string;
  readonly distance: number;
}

/** Matching by words. `score` is BM25, higher is better, > 0. */
export interface KeywordHit {
  readonly id: string;
  readonly score: number;
}

/** One summand of a score, and what it is for. */
export interface ScoreTerm {
  readonly name: string;
  readonly value: number;
}

/** `words 0.812 + meaning 0.120 − recency 0.104`: rounded so that what is shown adds up to the score to three digits. */
export function termsText(terms: readonly ScoreTerm[]): string {
  let sum = 0;
  let shown = 0;
  return terms
    .map(({ name, value }, at) => {
      sum += value;
      const part = Math.round(sum * 1_000) - shown;
      shown += part;
      const sign = part < 0 ? "− " : at === 0 ? "" : "+ ";
      return `${sign}${name} ${(Math.abs(part) / 1_000).toFixed(3)}`;
    })
    .join(" ");
}

/** A memory that was found, with everything that put it where it stands. */
export interface RankedMemory {
  readonly record: MemoryRecord;
  /** Raw cosine distance of the best query, or null when only words found it. */
  readonly distance: number | null;
  /** After language and recency, where the method orders by distance; else null. */
  readonly adjustedDistance: number | null;
  readonly vectorRank: number | null;
  readonly keywordRank: number | null;
  /** BM25 of the best query, or null. */
  readonly keywordScore: number | null;
  /** How sure `distance` makes that it is about the same; absent where nobody measured that for the embedder. */
  readonly confidence?: Confidence;
  /** What ordered the list: the sum of `terms`. Orders only, never thresholded. */
  readonly score: number;
  readonly terms: readonly ScoreTerm[];
  readonly languageMatch: boolean;
  /** The changed hunk that it is nearest to, with that raw cosine distance; null when no hunk found it. */
  readonly nearestHunk: { readonly path: string; readonly distance: number } | null;
  /** What people said against it; absent where nobody did. */
  readonly rejections?: Rejections;
  /** What a reranker gave it, higher is better; absent where none did. */
  readonly rerankScore?: number;
  /** Labels of other memories that say the same and were folded into this one. */
  readonly alternateSources: readonly string[];
}

/** A comment or finding about code that is much like a changed hunk: what memory says without a model. */
export interface SeenBefore extends Quote {
  readonly memoryId: string;
  /** The changed file. */
  readonly path: string;
  /** Where it was said, or null. */
  readonly url: string | null;
  readonly outcome: Outcome | "unknown";
  /** When, by whom and why it came to that; untrusted. Absent when not known. */
  readonly decided?: string;
  /** ISO 8601 date, "" when unknown. */
  readonly date: string;
  /** Raw cosine similarity to the changed hunk, 0–1. */
  readonly similarity: number;
}

/** What putting the best memories in a better order changed, and what it cost. */
export interface RerankReport {
  /** Who was asked: `rerank-2.5`. */
  readonly by: string;
  /** Of the slowest query: all are asked side by side. */
  readonly ms: number;
  readonly tokens: number;
  readonly usd: number;
  /** Share of the first five that did not stand among the first five before, 0–1. */
  readonly topChanged: number;
  /** Places that a reranked memory moved up or down, on average. */
  readonly meanMove: number;
  /** Why some or all queries left the order as it was; null when none did. */
  readonly failed: string | null;
}

/** What embedding the queries of one retrieval took. */
export interface EmbeddingUsage {
  readonly texts: number;
  /** How many of them were answered from the cache. */
  readonly cached: number;
  readonly tokens: number;
  readonly usd: number;
}

export const NO_USAGE: EmbeddingUsage = { texts: 0, cached: 0, tokens: 0, usd: 0 };

/** What the questions of one purpose that a retrieval put to a language model cost, together. */
export interface ModelCost {
  readonly purpose: Purpose;
  readonly questions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US$; null where the model has no price. */
  readonly usd: number | null;
}

/** How the reason begins for which a memory is cut that only a searched skip found. */
export const SHADOW_SAMPLE = "shadow sample";

/** What the retrieve room hands on. */
export interface Precedents {
  readonly kind: "precedents";
  readonly gate: GateDecision;
  readonly query: RetrievalQuery | null;
  /** Best first; what reaches the prompt. */
  readonly ranked: readonly RankedMemory[];
  /** Most similar first; for the summary. */
  readonly seenBefore: readonly SeenBefore[];
  /** What was found and left out: below the floor, over topK, over the character budget, a duplicate. */
  readonly cut: readonly { readonly id: string; readonly reason: string }[];
  readonly provenance: {
    readonly repoSources: readonly string[];
    readonly sharedPoolUsed: boolean;
    readonly totalCandidates: number;
    /** Memories in scope; absent when they were not counted. */
    readonly scanned?: number;
    /** Largest admitted cosine distance. */
    readonly threshold: number;
    readonly thresholdMethod: "configured" | "gap" | "percentile";
    readonly method: "semantic" | "keyword" | "hybrid";
  };
  readonly usage: EmbeddingUsage;
  /** Null when nobody was asked for a better order. */
  readonly rerank: RerankReport | null;
  /** Absent or empty when no language model was asked. Of a model that reranks, the cost stands here and in `rerank`. */
  readonly modelCosts?: readonly ModelCost[];
  readonly degraded: readonly Degraded[];
}

/** Memories in scope, for the gate, the summary and `stats`. */
export interface MemoryCounts {
  readonly total: number;
  readonly byLanguage: ReadonlyMap<string, number>;
  readonly byCorpus: ReadonlyMap<Corpus, number>;
  readonly byOutcome: ReadonlyMap<Outcome | "none", number>;
}

// How sure likeness in meaning is that a memory is about the same: a word, by edges that were measured for the embedder.

const CONFIDENCES = ["high", "medium", "low", "very_low"] as const;
type Confidence = (typeof CONFIDENCES)[number];

/** Largest cosine distances of high, medium and low, ascending; what is farther is very low. */
export interface ConfidenceEdges {
  readonly high: number;
  readonly medium: number;
  readonly low: number;
}

/** @param distance raw cosine distance, 0–2 */
export function confidenceOf(distance: number, { high, medium, low }: ConfidenceEdges): Confidence {
  if (distance <= high) return "high";
  if (distance <= medium) return "medium";
  return distance <= low ? "low" : "very_low";
}
