// From a pull request to earlier comments on similar code: the values of the retrieve stage.

import type { Quote } from "./finding.ts";
import type { Repo } from "./job.ts";
import type { Rejections } from "./memory/rejections.ts";
import { type Corpus, type MemoryRecord, type Outcome, type RepoKey, repoKey } from "./memory.ts";
import type { Purpose } from "./model.ts";
import type { Degraded } from "./omissions.ts";
import { counted } from "./text/counted.ts";

/** How the retrievers are weighted; a strategy never switches one off. */
export type Strategy = "semantic" | "hybrid" | "keyword" | "related-files";

/** Does this pull request need memory? */
export interface GateDecision {
  readonly retrieve: boolean;
  /** 0–1. */
  readonly confidence: number;
  /** Never empty. */
  readonly reason: string;
  readonly strategy: Strategy | null;
  /** 0–1, or null when nothing was estimated. */
  readonly estimatedRelevance: number | null;
  /** What decided: a rule's name, `model`, `cache`, `default`. */
  readonly decidedBy: string;
}

/** The gate's reason when memory is empty. */
export const NOTHING_REMEMBERED = "nothing remembered yet";

/** One text to search with. All texts of a review are embedded in one request. */
export interface QueryVariant {
  readonly kind: "intent" | "paths" | "code" | "hunk" | "pattern" | "hypothetical";
  readonly text: string;
  /** The hunk's path, for `hunk` and `code`; else null. */
  readonly path: string | null;
}

export interface RetrievalQuery {
  /** The enriched text: title, body excerpt, type, languages, risks, author tier, paths. */
  readonly text: string;
  /** What was left out: parts over the length cap, a hypothetical situation unlike any memory. */
  readonly dropped: readonly string[];
  readonly variants: readonly QueryVariant[];
}

/** What may be searched. One function builds it; adapters apply it inside the search. */
export interface Scope {
  readonly repo: RepoKey;
  /** Other repositories of the same owner, when sharing is on; null keeps to the one repository. */
  readonly ownerPool: { readonly ownerId: number; readonly targetIsPublic: boolean } | null;
  /** Excludes the pull request's own memories. */
  readonly excludePull: number | null;
  /** Only memories from before this epoch millisecond; null for now. */
  readonly before: number | null;
}

/** All memories of one repository, as its owner sees them. */
export function ownScope(repo: Pick<Repo, "host" | "id">, excludePull: number | null = null): Scope {
  return { repo: repoKey(repo), ownerPool: null, excludePull, before: null };
}

/** Restricts a search within a scope. Absent or empty restricts nothing. */
export interface MemoryFilter {
  readonly corpora?: readonly Corpus[];
  /** Canonical ids, exact. */
  readonly languages?: readonly string[];
  /** Kind of chunk; for review memories the category or severity. */
  readonly chunkTypes?: readonly string[];
  /** Any of: exact path, prefix ending in `/`, glob. */
  readonly paths?: readonly string[];
}

/** Nearest by cosine. `distance` is 1 − cosine similarity, 0–2. */
export interface VectorHit {
  readonly id: string;
  readonly distance: number;
}

/** A keyword match. `score` is BM25, higher is better, > 0. */
export interface KeywordHit {
  readonly id: string;
  readonly score: number;
}

/** One term of a score and its name. */
export interface ScoreTerm {
  readonly name: string;
  readonly value: number;
}

/** `7 candidates among 1,200 memories`; the second figure only if it is known. */
export function candidatesText({ totalCandidates, scanned }: Precedents["provenance"]): string {
  const among = scanned === null ? "" : ` among ${counted(scanned, "memory", "memories")}`;
  return counted(totalCandidates, "candidate") + among;
}

/** What admits a memory: a distance within the threshold, or words with this probability. */
export interface Admission {
  readonly distance: boolean;
  /** The least probability, 0–1; 0: any shared word admits; null: only the distance counts. */
  readonly probability: number | null;
}

/**
 * `distance at most 0.300 (gap), or probability at least 0.01`.
 *
 * @param how what made the threshold; "" when it is not known
 */
export function admissionText({ distance, probability }: Admission, threshold: number, how: string): string {
  const near = `distance at most ${threshold.toFixed(3)}${how === "" ? "" : ` (${how})`}`;
  const words = probability === 0 ? "any shared word" : `probability at least ${probability}`;
  return (
    [distance ? near : null, probability === null ? null : words].filter((part) => part !== null).join(", or ") ||
    "nothing admitted"
  );
}

/** To three digits; what rounds to zero has no sign. */
export function scoreText(score: number): string {
  return (Math.round(score * 1_000) / 1_000).toFixed(3);
}

/** For readers of a list with a score below zero, which look like misses: "" without one. */
export function scoreNote(ranked: readonly Pick<RankedMemory, "score">[]): string {
  return ranked.some(({ score }) => scoreText(score).startsWith("-"))
    ? "; scores are sums of logarithms, which order the results and may be below 0"
    : "";
}

/**
 * `words 0.812 + meaning 0.120 − recency 0.104`: rounded so that the parts add up to the score to
 * three digits.
 */
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

/** A retrieved memory with everything that determined its rank. */
export interface RankedMemory {
  readonly record: MemoryRecord;
  /** Raw cosine distance of the best query, or null when only keywords found it. */
  readonly distance: number | null;
  /** After language and recency, when the method orders by distance; else null. */
  readonly adjustedDistance: number | null;
  readonly vectorRank: number | null;
  readonly keywordRank: number | null;
  /** BM25 of the best query, or null. */
  readonly keywordScore: number | null;
  /** That it is to the point, by its text and place, 0–1; null when only vectors were compared. */
  readonly probability: number | null;
  /** By `probability`, else by `distance` where the embedder was measured. */
  readonly confidence: Confidence | null;
  /** Orders the list: the sum of `terms`. Never compared with a threshold. */
  readonly score: number;
  readonly terms: readonly ScoreTerm[];
  readonly languageMatch: boolean;
  /** The nearest changed hunk, with its raw cosine distance; null when no hunk found it. */
  readonly nearestHunk: { readonly path: string; readonly distance: number } | null;
  /** Null without rejections. */
  readonly rejections: Rejections | null;
  /** The reranker's score, higher is better; null without one. */
  readonly rerankScore: number | null;
  /** Labels of equal memories that were folded into this one. */
  readonly alternateSources: readonly string[];
}

/** A comment or finding about code like a changed hunk: what memory adds without a model. */
export interface SeenBefore extends Quote {
  readonly memoryId: string;
  /** The changed file. */
  readonly path: string;
  /** The comment's address, or null. */
  readonly url: string | null;
  readonly outcome: Outcome | "unknown";
  /** Date, person and reason of the outcome; untrusted. Absent when unknown. */
  readonly decided?: string;
  /** ISO 8601 date, "" when unknown. */
  readonly date: string;
  /** Raw cosine similarity to the changed hunk, 0–1. */
  readonly similarity: number;
}

/** A candidate for reranking. Every reranker reads `text`; some also use the other fields. */
export interface RerankCandidate {
  readonly id: string;
  readonly text: string;
  readonly path: string | null;
  /** A chunk's kind or a corpus: `function`, `review_comment`. */
  readonly type: string | null;
  readonly language: string | null;
  /** Of a finding; null when unknown. */
  readonly outcome: string | null;
}

/** What a reranker says about the candidates of one query, and its cost. */
export interface Reranked {
  /** By id, best first; comparable within one reranker. Candidates may be missing. */
  readonly scores: ReadonlyMap<string, number>;
  readonly tokens: number;
  readonly usd: number;
  /** Wall time. */
  readonly ms: number;
  /** Why there are no scores, in one line without keys or texts; null when nothing failed. */
  readonly failed: string | null;
}

/** The effect and cost of reranking. */
export interface RerankReport {
  /** The reranker: `rerank-2.5`. */
  readonly by: string;
  /** Of the slowest query: they run in parallel. */
  readonly ms: number;
  readonly tokens: number;
  readonly usd: number;
  /** Share of the first five that were not among the first five before, 0–1. */
  readonly topChanged: number;
  /** Mean number of ranks that a reranked memory moved. */
  readonly meanMove: number;
  /** Why some or all queries kept their order; null when none did. */
  readonly failed: string | null;
}

/** The cost of embedding the queries of one retrieval. */
export interface EmbeddingUsage {
  readonly texts: number;
  /** How many of them the cache answered. */
  readonly cached: number;
  readonly tokens: number;
  readonly usd: number;
}

export const NO_USAGE: EmbeddingUsage = { texts: 0, cached: 0, tokens: 0, usd: 0 };

/** The cost of a retrieval's questions to a language model, by purpose. */
export interface ModelCost {
  readonly purpose: Purpose;
  readonly questions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US$; null when the model has no price. */
  readonly usd: number | null;
}

/** Prefix of the cut reason of memories that only a shadow search found. */
export const SHADOW_SAMPLE = "shadow sample";

/** The result of the retrieve stage. */
export interface Precedents {
  readonly kind: "precedents";
  readonly gate: GateDecision;
  /** Wall time of the decision; null without a clock. */
  readonly gateMs: number | null;
  readonly query: RetrievalQuery | null;
  /** Best first; these reach the prompt. */
  readonly ranked: readonly RankedMemory[];
  /** Most similar first; for the summary. */
  readonly seenBefore: readonly SeenBefore[];
  /** Found and left out: below the floor, over topK or the characters, a duplicate. */
  readonly cut: readonly { readonly id: string; readonly reason: string }[];
  readonly provenance: {
    readonly repoSources: readonly string[];
    readonly sharedPoolUsed: boolean;
    readonly totalCandidates: number;
    /** Memories in scope; null when not counted. */
    readonly scanned: number | null;
    /** Largest accepted cosine distance; it admits nothing where `admits.distance` is false. */
    readonly threshold: number;
    /** `calibrated`: nobody configured one, so it is the embedder's own. */
    readonly thresholdMethod: "calibrated" | "configured" | "gap" | "percentile";
    readonly admits: Admission;
    readonly method: "semantic" | "keyword" | "hybrid";
  };
  readonly usage: EmbeddingUsage;
  /** Null when no reranker ran. */
  readonly rerank: RerankReport | null;
  /** Empty without a language model. A reranking model's cost is both here and in `rerank`. */
  readonly modelCosts: readonly ModelCost[];
  readonly degraded: readonly Degraded[];
}

/** Memories in scope, for the gate, the summary and `stats`. */
export interface MemoryCounts {
  readonly total: number;
  readonly byLanguage: ReadonlyMap<string, number>;
  readonly byCorpus: ReadonlyMap<Corpus, number>;
  readonly byOutcome: ReadonlyMap<Outcome | "none", number>;
}

/** How surely a memory is to the point, by limits that were measured. */
type Confidence = "high" | "medium" | "low" | "very_low";

/** Largest cosine distances of high, medium and low, ascending; a larger one is very low. */
export interface ConfidenceEdges {
  readonly high: number;
  readonly medium: number;
  readonly low: number;
}

/**
 * Least probabilities: ten, three and one times the labelled share of task G's candidates, .031.
 */
const LEAST = { high: 0.3, medium: 0.1, low: 0.03 };

/** @param probability of being to the point, 0–1 */
export function confidenceIn(probability: number): Confidence {
  if (probability >= LEAST.high) return "high";
  if (probability >= LEAST.medium) return "medium";
  return probability >= LEAST.low ? "low" : "very_low";
}

/** @param distance raw cosine distance, 0–2 */
export function confidenceOf(distance: number, { high, medium, low }: ConfidenceEdges): Confidence {
  if (distance <= high) return "high";
  if (distance <= medium) return "medium";
  return distance <= low ? "low" : "very_low";
}
