// A retrieval as a row of the log, and the narrow part of such a row as it is counted. Flags are 0 and 1, lists are JSON.
import type { LoggedRetrieval } from "../../domain/logged-retrieval.ts";
import type { CountedRetrieval } from "../../domain/retrieval-figures.ts";

export interface LogLimits {
  readonly rows: number;
  readonly ageMs: number;
  /** Rows removed with one row written: more than one, so that a long log becomes short. */
  readonly chunk: number;
}

/** A row with a question of 500 characters takes .9 kB, so 100,000 take about 90 MB. */
export const LOG_LIMITS: LogLimits = { rows: 100_000, ageMs: 30 * 24 * 60 * 60_000, chunk: 500 };

/** Column → value. */
export function retrievalRow(entry: LoggedRetrieval) {
  const { embedding, gate, rerank } = entry;
  return {
    id: entry.id,
    repo: entry.repo,
    repo_name: entry.repoName,
    pull: entry.pull,
    origin: entry.origin,
    query: entry.query,
    method: entry.method,
    searched: entry.searched ? 1 : 0,
    ids: JSON.stringify(entry.ids),
    scores: JSON.stringify(entry.scores),
    distances: JSON.stringify(entry.distances),
    rerank_scores: JSON.stringify(entry.rerankScores),
    results: entry.ids.length,
    retrieval_ms: entry.retrievalMs,
    rerank_ms: entry.rerankMs,
    scanned: entry.totalScanned,
    candidates: entry.candidates,
    embedded_texts: embedding.texts,
    embedded_cached: embedding.cached,
    embedding_tokens: embedding.tokens,
    embedding_usd: embedding.usd,
    rerank: rerank === null ? null : JSON.stringify(rerank),
    tokens: entry.tokens,
    usd: entry.usd,
    gate_retrieve: gate.retrieve ? 1 : 0,
    gate_by: gate.decidedBy,
    gate_confidence: gate.confidence,
    shadow: gate.shadow ? 1 : 0,
    shadow_hits: gate.shadowHits,
    degraded: JSON.stringify(entry.degraded),
    average_distance: entry.averageDistance,
    language_match: entry.languageMatch,
    top_k: entry.topK,
    threshold: entry.threshold,
    calibrated: entry.calibrated,
    created_at: entry.createdAt,
  };
}

/** The columns of a `countedRow`. */
export const COUNTED_COLUMNS = `origin, method, searched, results, retrieval_ms AS ms, embedded_texts AS texts, embedded_cached AS cached,
  embedding_tokens AS tokens, embedding_usd AS "embeddingUsd", rerank, usd, gate_retrieve AS retrieve, gate_by AS "decidedBy",
  gate_confidence AS confidence, shadow, shadow_hits AS "shadowHits", degraded, average_distance AS "averageDistance",
  language_match AS "languageMatch", calibrated`;

interface Row {
  readonly origin: LoggedRetrieval["origin"];
  readonly method: LoggedRetrieval["method"];
  readonly searched: number;
  readonly results: number;
  readonly ms: number;
  readonly texts: number;
  readonly cached: number;
  readonly tokens: number;
  readonly embeddingUsd: number;
  readonly rerank: string | null;
  readonly usd: number;
  readonly retrieve: number;
  readonly decidedBy: string;
  readonly confidence: number;
  readonly shadow: number;
  readonly shadowHits: number;
  readonly degraded: string;
  readonly averageDistance: number | null;
  readonly languageMatch: number | null;
  readonly calibrated: number;
}

/** @param row of COUNTED_COLUMNS */
export function countedRow(from: unknown): CountedRetrieval {
  const row = from as Row;
  return {
    origin: row.origin,
    method: row.method,
    searched: row.searched === 1,
    results: row.results,
    retrievalMs: row.ms,
    embedding: { texts: row.texts, cached: row.cached, tokens: row.tokens, usd: row.embeddingUsd },
    rerank: row.rerank === null ? null : (JSON.parse(row.rerank) as LoggedRetrieval["rerank"]),
    usd: row.usd,
    gate: {
      retrieve: row.retrieve === 1,
      decidedBy: row.decidedBy,
      confidence: row.confidence,
      shadow: row.shadow === 1,
      shadowHits: row.shadowHits,
    },
    degraded: row.degraded === "[]" ? [] : (JSON.parse(row.degraded) as string[]),
    averageDistance: row.averageDistance,
    languageMatch: row.languageMatch,
    calibrated: row.calibrated,
  };
}

/** @param from all columns of a `retrievalRow` */
export function loggedRetrieval(from: unknown): LoggedRetrieval {
  const row = from as ReturnType<typeof retrievalRow>;
  const list = (name: keyof typeof row) => JSON.parse(String(row[name]));
  return {
    ...{ id: row.id, repo: row.repo, repoName: row.repo_name, pull: row.pull, origin: row.origin, query: row.query },
    ...{ method: row.method, searched: row.searched === 1, retrievalMs: row.retrieval_ms, rerankMs: row.rerank_ms },
    ...{ totalScanned: row.scanned, candidates: row.candidates, tokens: row.tokens, usd: row.usd, topK: row.top_k },
    ...{ threshold: row.threshold, calibrated: row.calibrated, createdAt: row.created_at },
    ...{ averageDistance: row.average_distance, languageMatch: row.language_match },
    ids: list("ids"),
    scores: list("scores"),
    distances: list("distances"),
    rerankScores: list("rerank_scores"),
    degraded: list("degraded"),
    rerank: row.rerank === null ? null : list("rerank"),
    embedding: {
      texts: row.embedded_texts,
      cached: row.embedded_cached,
      tokens: row.embedding_tokens,
      usd: row.embedding_usd,
    },
    gate: {
      retrieve: row.gate_retrieve === 1,
      decidedBy: row.gate_by,
      confidence: row.gate_confidence,
      shadow: row.shadow === 1,
      shadowHits: row.shadow_hits,
    },
  } as LoggedRetrieval;
}
