// The retrieval log, which deletes a few old rows with each write, and figures over a window of it. Flags are 0 and 1, lists are JSON.
import type { LoggedRetrieval } from "../../domain/figures/logged-retrieval.ts";
import { type CountedRetrieval, retrievalFigures } from "../../domain/figures/retrieval-figures.ts";
import type { RetrievalLog, RetrievalStatistics } from "../../ports/memory.ts";
import { type Columns, objectOf, rowOf } from "../columns.ts";
import type { Database } from "../sql.ts";
import { insert } from "../statement.ts";

export interface LogLimits {
  readonly rows: number;
  readonly ageMs: number;
  /** Rows deleted per written row: more than one, so that a long log shrinks. */
  readonly chunk: number;
}

/** A row with a query of 500 characters takes .9 kB, so 100,000 take about 90 MB. */
const LOG_LIMITS: LogLimits = { rows: 100_000, ageMs: 30 * 24 * 60 * 60_000, chunk: 500 };

/** Ignores a known id. May throw `Transient`. */
export function storedRetrievals(db: Database, limits: LogLimits = LOG_LIMITS): RetrievalLog {
  return {
    async write(entry) {
      const row = { ...rowOf({ ...FOUND, ...COUNTED }, entry), results: entry.ids.length };
      await insert(db, "retrievals", row, "ON CONFLICT (id) DO NOTHING");
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
/** The condition of a window. A repository is given by key or by name; they never look alike, because no owner's name has a dot. */
const WITHIN =
  "created_at > $1 AND (CAST($2 AS text) IS NULL OR repo = $2 OR lower(repo_name) = lower(CAST($2 AS text)))";

/** @param now epoch milliseconds: the end of the window */
export function storedRetrievalStatistics(db: Database, now: () => number): RetrievalStatistics {
  return {
    read: ({ ms, repo }) =>
      db.snapshot(async (sql) => {
        const within = [now() - ms, repo];
        const entries = await sql.all<{ results: number }>(
          `SELECT ${Object.keys(COUNTED).join(", ")}, results FROM retrievals WHERE ${WITHIN} ORDER BY "row"`,
          within,
        );
        const queries = await sql.all<{ query: string; count: number }>(
          `SELECT query, count(*) AS count FROM retrievals WHERE ${WITHIN} AND searched = 1
           GROUP BY query ORDER BY count DESC, query LIMIT ${TOP_QUERIES}`,
          within,
        );
        return retrievalFigures(entries.map(countedRetrieval), queries);
      }),
  };
}

/** Lists of results, best first. */
const FOUND: Columns = {
  id: ["text", "id"],
  repo: ["text", "repo"],
  repo_name: ["text", "repoName"],
  pull: ["int", "pull"],
  query: ["text", "query"],
  ids: ["json", "ids"],
  scores: ["json", "scores"],
  distances: ["json", "distances"],
  rerank_scores: ["json", "rerankScores"],
  rerank_ms: ["real", "rerankMs"],
  scanned: ["int", "totalScanned"],
  candidates: ["int", "candidates"],
  tokens: ["int", "tokens"],
  top_k: ["int", "topK"],
  threshold: ["real", "threshold"],
  created_at: ["int", "createdAt"],
};

/** The columns for figures, besides `results`. */
const COUNTED: Columns = {
  origin: ["text", "origin"],
  method: ["text", "method"],
  searched: ["flag", "searched"],
  retrieval_ms: ["real", "retrievalMs"],
  embedded_texts: ["int", "embedding.texts"],
  embedded_cached: ["int", "embedding.cached"],
  embedding_tokens: ["int", "embedding.tokens"],
  embedding_usd: ["real", "embedding.usd"],
  rerank: ["json", "rerank"],
  usd: ["real", "usd"],
  gate_retrieve: ["flag", "gate.retrieve"],
  gate_by: ["text", "gate.decidedBy"],
  gate_confidence: ["real", "gate.confidence"],
  shadow: ["flag", "gate.shadow"],
  shadow_hits: ["int", "gate.shadowHits"],
  degraded: ["json", "degraded"],
  average_distance: ["real", "averageDistance"],
  language_match: ["real", "languageMatch"],
  calibrated: ["real", "calibrated"],
};

function countedRetrieval(row: { readonly results: number }): CountedRetrieval {
  return { ...objectOf<Omit<CountedRetrieval, "results">>(COUNTED, row), results: row.results };
}

/** @param row all columns of a retrieval */
export function loggedRetrieval(row: Readonly<Record<string, unknown>>): LoggedRetrieval {
  return objectOf({ ...FOUND, ...COUNTED }, row);
}
