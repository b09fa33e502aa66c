// What each retrieval did: a log that shrinks a little with each row once it is too old or too long, and figures over a window of
// it. Flags are 0 and 1, lists are JSON.
import type { LoggedRetrieval } from "../../domain/figures/logged-retrieval.ts";
import { type CountedRetrieval, retrievalFigures } from "../../domain/figures/retrieval-figures.ts";
import type { RetrievalLog, RetrievalStatistics } from "../../ports/memory.ts";
import type { Database } from "../sql.ts";

export interface LogLimits {
  readonly rows: number;
  readonly ageMs: number;
  /** Rows removed with one row written: more than one, so that a long log becomes short. */
  readonly chunk: number;
}

/** A row with a question of 500 characters takes .9 kB, so 100,000 take about 90 MB. */
const LOG_LIMITS: LogLimits = { rows: 100_000, ageMs: 30 * 24 * 60 * 60_000, chunk: 500 };

/** An id that is there already is left as it is. Throws `Transient` for what passes. */
export function storedRetrievals(db: Database, limits: LogLimits = LOG_LIMITS): RetrievalLog {
  return {
    async write(entry) {
      const row = retrievalRow(entry);
      const names = Object.keys(row);
      await db.run(
        `INSERT INTO retrievals (${names.join(", ")}) VALUES (${names.map((_, at) => `$${at + 1}`).join(", ")})
         ON CONFLICT (id) DO NOTHING`,
        Object.values(row),
      );
      const { skipLocked, type } = db.dialect;
      // Rows leave oldest first, so the newest row's number shows which are over the limit without counting.
      await db.run(
        `DELETE FROM retrievals WHERE "row" IN (
           SELECT "row" FROM retrievals WHERE "row" <= (SELECT max("row") FROM retrievals) - CAST($1 AS ${type.int})
           ORDER BY "row" LIMIT $2${skipLocked})`,
        [limits.rows, limits.chunk],
      );
      await db.run(
        `DELETE FROM retrievals WHERE "row" IN (
           SELECT "row" FROM retrievals WHERE created_at < $1 ORDER BY created_at LIMIT $2${skipLocked})`,
        [entry.createdAt - limits.ageMs, limits.chunk],
      );
    },
  };
}

const TOP_QUERIES = 5;
/** What a window asks of a row. A key and a name never look alike: no owner's name holds a dot. */
const WITHIN =
  "created_at > $1 AND (CAST($2 AS text) IS NULL OR repo = $2 OR lower(repo_name) = lower(CAST($2 AS text)))";

/** @param now epoch milliseconds: where the window ends */
export function storedRetrievalStatistics(db: Database, now: () => number): RetrievalStatistics {
  return {
    read: ({ ms, repo }) =>
      db.snapshot(async (sql) => {
        const within = [now() - ms, repo];
        const entries = await sql.all<CountedRow>(
          `SELECT ${COUNTED_COLUMNS} FROM retrievals WHERE ${WITHIN} ORDER BY "row"`,
          within,
        );
        const queries = await sql.all<{ query: string; count: number }>(
          `SELECT query, count(*) AS count FROM retrievals WHERE ${WITHIN} AND searched = 1
           GROUP BY query ORDER BY count DESC, query LIMIT ${TOP_QUERIES}`,
          within,
        );
        return retrievalFigures(entries.map(countedRow), queries);
      }),
  };
}

/** Column → value. */
function retrievalRow(entry: LoggedRetrieval) {
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
const COUNTED_COLUMNS = `origin, method, searched, results, retrieval_ms AS ms, embedded_texts AS texts, embedded_cached AS cached,
  embedding_tokens AS tokens, embedding_usd AS "embeddingUsd", rerank, usd, gate_retrieve AS retrieve, gate_by AS "decidedBy",
  gate_confidence AS confidence, shadow, shadow_hits AS "shadowHits", degraded, average_distance AS "averageDistance",
  language_match AS "languageMatch", calibrated`;

interface CountedRow {
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

function countedRow(row: CountedRow): CountedRetrieval {
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
    id: row.id,
    repo: row.repo,
    repoName: row.repo_name,
    pull: row.pull,
    origin: row.origin,
    query: row.query,
    method: row.method,
    searched: row.searched === 1,
    retrievalMs: row.retrieval_ms,
    rerankMs: row.rerank_ms,
    totalScanned: row.scanned,
    candidates: row.candidates,
    tokens: row.tokens,
    usd: row.usd,
    topK: row.top_k,
    threshold: row.threshold,
    calibrated: row.calibrated,
    createdAt: row.created_at,
    averageDistance: row.average_distance,
    languageMatch: row.language_match,
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
