// What retrieval did, row by row beside the queue. A log that grew too old or too long shrinks a little with each row.
import type { LoggedRetrieval } from "../../domain/logged-retrieval.ts";
import type { RetrievalLog } from "../../ports/memory.ts";
import { type Database, write } from "./database.ts";

export interface LogLimits {
  readonly rows: number;
  readonly ageMs: number;
  /** Rows removed with one row written: more than one, so that a long log becomes short. */
  readonly chunk: number;
}

/** A row with a question of 500 characters takes .9 kB, so 100,000 take about 90 MB. */
export const LOG_LIMITS: LogLimits = { rows: 100_000, ageMs: 30 * 24 * 60 * 60_000, chunk: 500 };

/**
 * The log over an open queue database (see QUEUE_MIGRATIONS). An id that is there already is left as it is.
 *
 * Rejects with `Transient` on a lock.
 */
export function sqliteRetrievalLog(db: Database.Database, limits: LogLimits = LOG_LIMITS): RetrievalLog {
  return {
    // Async, so that whatever SQLite throws is a rejection.
    async write(entry) {
      const row = rowOf(entry);
      const names = Object.keys(row);
      write(db, () => {
        db.prepare(
          `INSERT INTO retrievals (${names.join(", ")}) VALUES (${names.map((name) => `@${name}`).join(", ")}) ON CONFLICT (id) DO NOTHING`,
        ).run(row);
        shrink(db, entry.createdAt - limits.ageMs, limits);
      });
    },
  };
}

/** Rows leave oldest first, so the newest row's number tells which are over the limit without counting. */
function shrink(db: Database.Database, before: number, { rows, chunk }: LogLimits): void {
  db.prepare(
    `DELETE FROM retrievals WHERE row IN (
       SELECT row FROM retrievals WHERE row <= (SELECT max(row) FROM retrievals) - @rows ORDER BY row LIMIT @chunk)`,
  ).run({ rows, chunk });
  db.prepare(
    "DELETE FROM retrievals WHERE row IN (SELECT row FROM retrievals WHERE created_at < @before ORDER BY created_at LIMIT @chunk)",
  ).run({ before, chunk });
}

function rowOf(entry: LoggedRetrieval) {
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
