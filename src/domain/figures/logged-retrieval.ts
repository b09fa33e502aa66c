// One retrieval as it is written down: what was asked, what came of it, how long it took and what it cost.
import { createHash } from "node:crypto";
import type { Repo, Trigger } from "../job.ts";
import { type RepoKey, repoKey } from "../memory.ts";
import { type EmbeddingUsage, type Precedents, SHADOW_SAMPLE } from "../retrieval.ts";
import { cutText } from "../text/cut-text.ts";

/** Who asked: a review of the server, a review on the command line, a search by hand, a question in a comment. */
const RETRIEVAL_ORIGINS = ["review", "command-line", "search", "question"] as const;
export type RetrievalOrigin = (typeof RETRIEVAL_ORIGINS)[number];

export interface LoggedRetrieval {
  /** `ret_` + 12 hex: the same retrieval written twice is one row. */
  readonly id: string;
  readonly repo: RepoKey;
  /** OWNER/NAME when it was written. */
  readonly repoName: string;
  readonly pull: number | null;
  readonly origin: RetrievalOrigin;
  /** What was asked, at most 1,000 characters; "" when nothing was. To be redacted before it is kept. */
  readonly query: string;
  readonly method: Precedents["provenance"]["method"];
  /** False when the gate skipped and nothing was searched. */
  readonly searched: boolean;
  /** What reached the review, best first; `scores` and `distances` are of the same memories. */
  readonly ids: readonly string[];
  /** As ranked: they order one list and mean nothing beside those of another. */
  readonly scores: readonly number[];
  /** Raw cosine distances, null where only words found it. */
  readonly distances: readonly (number | null)[];
  /** The reranker's, by the same order, null for whom it gave none; empty where it gave none at all. */
  readonly rerankScores: readonly (number | null)[];
  /** Wall time without reranking. */
  readonly retrievalMs: number;
  readonly rerankMs: number | null;
  /** Memories in scope; 0 when they were not counted. */
  readonly totalScanned: number;
  readonly candidates: number;
  /** Of embedding the queries; its cached share is `cached / texts`. */
  readonly embedding: EmbeddingUsage;
  readonly rerank: Precedents["rerank"];
  /** Embedding, reranking and the questions to a language model together. */
  readonly tokens: number;
  readonly usd: number;
  readonly gate: {
    readonly retrieve: boolean;
    readonly decidedBy: string;
    /** 0–1. */
    readonly confidence: number;
    /** A skip that was searched all the same, to learn whether skipping lost anything. */
    readonly shadow: boolean;
    /** Memories that such a search would have used. */
    readonly shadowHits: number;
  };
  /** Parts that worked less well than they should. */
  readonly degraded: readonly string[];
  /** Of `distances`; null without any. */
  readonly averageDistance: number | null;
  /** Share of the memories that are about a language of the change, 0–1; null without memories. */
  readonly languageMatch: number | null;
  readonly topK: number;
  /** Largest admitted cosine distance. */
  readonly threshold: number;
  /** The distance that the embedder, or the configuration, calls relevant: `threshold` may be nearer. */
  readonly calibrated: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** What is known about a retrieval beside its result. */
export interface RetrievalFacts {
  readonly repo: Repo;
  readonly pull: number | null;
  readonly origin: RetrievalOrigin;
  /** Wall time of the whole. */
  readonly ms: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly topK: number;
  readonly calibrated: number;
}

const QUERY_CHARS = 1_000;

/** Whether a person at a terminal asked for a review, or a delivery. */
export function originOf(trigger: Trigger): RetrievalOrigin {
  return trigger === "command-line" ? "command-line" : "review";
}

/** The entry of one retrieval. Pure: the same retrieval at the same millisecond is the same entry. */
export function loggedRetrieval(precedents: Precedents, facts: RetrievalFacts): LoggedRetrieval {
  const { repo, pull, origin, ms, at, topK, calibrated } = facts;
  const { gate, ranked, provenance, usage, cut } = precedents;
  const rerank = precedents.rerank ?? null;
  // What reranking cost stands in its report already.
  const questions = (precedents.modelCosts ?? []).filter(({ purpose }) => purpose !== "rerank");
  const searched = precedents.query !== null;
  const query = cutText(precedents.query?.text ?? "", QUERY_CHARS).toWellFormed();
  const distances = ranked.map(({ distance }) => distance);
  return {
    id: idOf([repoKey(repo), pull, origin, query, at]),
    repo: repoKey(repo),
    repoName: `${repo.owner}/${repo.name}`,
    pull,
    origin,
    query,
    method: provenance.method,
    searched,
    ids: ranked.map(({ record }) => record.id),
    scores: ranked.map(({ score }) => score),
    distances,
    rerankScores: rerankScoresOf(ranked),
    retrievalMs: Math.max(0, ms - (rerank?.ms ?? 0)),
    rerankMs: rerank?.ms ?? null,
    totalScanned: provenance.scanned ?? 0,
    candidates: provenance.totalCandidates,
    embedding: usage,
    rerank,
    tokens: usage.tokens + (rerank?.tokens ?? 0) + sum(questions.map((of) => of.inputTokens + of.outputTokens)),
    usd: usage.usd + (rerank?.usd ?? 0) + sum(questions.map((of) => of.usd ?? 0)),
    gate: {
      retrieve: gate.retrieve,
      decidedBy: gate.decidedBy,
      confidence: gate.confidence,
      shadow: searched && !gate.retrieve,
      shadowHits: cut.filter(({ reason }) => reason.startsWith(SHADOW_SAMPLE)).length,
    },
    degraded: precedents.degraded.map(({ part }) => part),
    averageDistance: mean(distances.filter((distance) => distance !== null)),
    languageMatch: mean(ranked.map(({ languageMatch }) => (languageMatch ? 1 : 0))),
    topK,
    threshold: provenance.threshold,
    calibrated,
    createdAt: at,
  };
}

function idOf(parts: readonly unknown[]): string {
  return `ret_${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12)}`;
}

function rerankScoresOf(ranked: Precedents["ranked"]): readonly (number | null)[] {
  const scores = ranked.map(({ rerankScore }) => rerankScore ?? null);
  return scores.every((score) => score === null) ? [] : scores;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
