// The log entry of one retrieval: query, result, duration and cost.
import type { Repo, Trigger } from "../job.ts";
import { leastEntryLength } from "../memory/precedent-section.ts";
import { type RepoKey, repoKey } from "../memory.ts";
import { type Admission, type EmbeddingUsage, type Precedents, SHADOW_SAMPLE } from "../retrieval.ts";
import { cutText } from "../text/cut-text.ts";
import { shortHash } from "../text/hash.ts";

/**
 * What started it: a review on the server, a review on the command line, a manual search, a
 * question in a comment.
 */
export type RetrievalOrigin = "review" | "command-line" | "search" | "question";

export interface LoggedRetrieval {
  /** `ret_` + 12 hex: the same retrieval written twice is one row. */
  readonly id: string;
  readonly repo: RepoKey;
  /** OWNER/NAME at the time of writing. */
  readonly repoName: string;
  readonly pull: number | null;
  readonly origin: RetrievalOrigin;
  /** The query, at most 1,000 characters; "" without one. Redact it before storing. */
  readonly query: string;
  readonly method: Precedents["provenance"]["method"];
  /** False when the gate skipped and nothing was searched. */
  readonly searched: boolean;
  /** What reached the review, best first; `scores` and `distances` belong to the same memories. */
  readonly ids: readonly string[];
  /** They order one list and cannot be compared between lists. */
  readonly scores: readonly number[];
  /** Raw cosine distances, null when only keywords found it. */
  readonly distances: readonly (number | null)[];
  /** The reranker's, in the same order, null where it gave none; empty when it gave none at all. */
  readonly rerankScores: readonly (number | null)[];
  /** Wall time without reranking. */
  readonly retrievalMs: number;
  readonly rerankMs: number | null;
  /** Memories in scope; 0 when they were not counted. */
  readonly totalScanned: number;
  readonly candidates: number;
  /** Of embedding the queries; the cached share is `cached / texts`. */
  readonly embedding: EmbeddingUsage;
  readonly rerank: Precedents["rerank"];
  /** Embedding, reranking and the questions to a language model together. */
  readonly tokens: number;
  readonly usd: number;
  /** Tokens that the memories take in a prompt at least, at 4 characters each. */
  readonly promptTokens: number;
  readonly gate: {
    readonly retrieve: boolean;
    readonly decidedBy: string;
    /** Wall time of the decision; null when it was not timed. */
    readonly ms: number | null;
    /** 0–1. */
    readonly confidence: number;
    /** The gate skipped, and memory was searched anyway to measure what the skip lost. */
    readonly shadow: boolean;
    /** Memories that such a search would have used. */
    readonly shadowHits: number;
  };
  /** Degraded parts. */
  readonly degraded: readonly string[];
  /** Of `distances`; null without any. */
  readonly averageDistance: number | null;
  /** Share of the memories in a language of the change, 0–1; null without memories. */
  readonly languageMatch: number | null;
  readonly topK: number;
  /** Largest accepted cosine distance; it admitted nothing where `admits.distance` is false. */
  readonly threshold: number;
  readonly admits: Admission;
  /**
   * The distance up to which the embedder or the configuration calls a memory relevant, ≥
   * `threshold`.
   */
  readonly calibrated: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Facts about a retrieval besides its result. */
export interface RetrievalFacts extends Pick<LoggedRetrieval, "pull" | "origin" | "topK" | "calibrated"> {
  readonly repo: Repo;
  /** Wall time of the whole retrieval. */
  readonly ms: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

const QUERY_CHARS = 1_000;
const TOKEN_CHARS = 4;

/** Whether a person at a terminal or a delivery asked for the review. */
export function originOf(trigger: Trigger): RetrievalOrigin {
  return trigger === "command-line" ? "command-line" : "review";
}

/**
 * The entry of one retrieval. Pure: the same retrieval at the same millisecond is the same entry.
 */
export function loggedRetrieval(precedents: Precedents, facts: RetrievalFacts): LoggedRetrieval {
  const { repo, pull, origin, ms, at, topK, calibrated } = facts;
  const { gate, ranked, provenance, usage, cut } = precedents;
  const rerank = precedents.rerank ?? null;
  const repoName = `${repo.owner}/${repo.name}`;
  // The rerank report has its own cost.
  const questions = precedents.modelCosts.filter(({ purpose }) => purpose !== "rerank");
  const searched = precedents.query !== null;
  const query = cutText(precedents.query?.text ?? "", QUERY_CHARS).toWellFormed();
  const distances = ranked.map(({ distance }) => distance);
  const rerankScores = ranked.map(({ rerankScore }) => rerankScore);
  return {
    id: `ret_${shortHash(JSON.stringify([repoKey(repo), pull, origin, query, at]))}`,
    repo: repoKey(repo),
    repoName,
    pull,
    origin,
    query,
    method: provenance.method,
    searched,
    ids: ranked.map(({ record }) => record.id),
    scores: ranked.map(({ score }) => score),
    distances,
    rerankScores: rerankScores.every((score) => score === null) ? [] : rerankScores,
    retrievalMs: Math.max(0, ms - (rerank?.ms ?? 0)),
    rerankMs: rerank?.ms ?? null,
    totalScanned: provenance.scanned ?? 0,
    candidates: provenance.totalCandidates,
    embedding: usage,
    rerank,
    tokens: usage.tokens + (rerank?.tokens ?? 0) + sum(questions.map((of) => of.inputTokens + of.outputTokens)),
    usd: usage.usd + (rerank?.usd ?? 0) + sum(questions.map((of) => of.usd ?? 0)),
    promptTokens: Math.ceil(sum(ranked.map((memory) => leastEntryLength(memory, repoName))) / TOKEN_CHARS),
    gate: {
      retrieve: gate.retrieve,
      decidedBy: gate.decidedBy,
      ms: precedents.gateMs,
      confidence: gate.confidence,
      shadow: searched && !gate.retrieve,
      shadowHits: cut.filter(({ reason }) => reason.startsWith(SHADOW_SAMPLE)).length,
    },
    degraded: precedents.degraded.map(({ part }) => part),
    averageDistance: mean(distances.filter((distance) => distance !== null)),
    languageMatch: mean(ranked.map(({ languageMatch }) => (languageMatch ? 1 : 0))),
    topK,
    threshold: provenance.threshold,
    admits: provenance.admits,
    calibrated,
    createdAt: at,
  };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : sum(values) / values.length;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
