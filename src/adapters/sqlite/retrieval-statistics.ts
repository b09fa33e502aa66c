// The log of retrievals as figures over a window. Reads the narrow columns of each row, and the texts only to count them.
import type { LoggedRetrieval } from "../../domain/logged-retrieval.ts";
import { type CountedRetrieval, retrievalFigures } from "../../domain/retrieval-figures.ts";
import type { RetrievalStatistics } from "../../ports/memory.ts";
import type { Database } from "./database.ts";

const TOP_QUERIES = 5;

/**
 * Statistics over an open queue database.
 *
 * @param now epoch milliseconds: where the window ends
 */
export function sqliteRetrievalStatistics(db: Database.Database, now: () => number): RetrievalStatistics {
  return {
    async read({ ms, repo }) {
      const within = { since: now() - ms, repo };
      const entries: CountedRetrieval[] = [];
      for (const row of db.prepare(`SELECT ${COLUMNS} FROM retrievals WHERE ${WITHIN}`).iterate(within))
        entries.push(counted(row as Row));
      const queries = db.prepare(
        `SELECT query, count(*) AS count FROM retrievals WHERE ${WITHIN} AND searched = 1
         GROUP BY query ORDER BY count DESC, query LIMIT ${TOP_QUERIES}`,
      );
      return retrievalFigures(entries, queries.all(within) as { query: string; count: number }[]);
    },
  };
}

/** What a window asks of a row. A key and a name never look alike: no owner's name holds a dot. */
const WITHIN = "created_at > @since AND (@repo IS NULL OR repo = @repo OR repo_name = @repo COLLATE NOCASE)";

const COLUMNS = `origin, method, searched, results, retrieval_ms AS ms, embedded_texts AS texts, embedded_cached AS cached,
  embedding_tokens AS tokens, embedding_usd AS embeddingUsd, rerank, usd, gate_retrieve AS retrieve, gate_by AS decidedBy,
  gate_confidence AS confidence, shadow, shadow_hits AS shadowHits, degraded, average_distance AS averageDistance,
  language_match AS languageMatch, calibrated`;

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

function counted(row: Row): CountedRetrieval {
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
