// The retrieval log, which deletes a few old rows with each write, and figures over a window of it.

import { LRUCache } from "lru-cache";
import { DAY_MS } from "../../adapters/retention.ts";
import type { LoggedRetrieval } from "../../domain/figures/logged-retrieval.ts";
import { type RetrievalFigures, retrievalFigures } from "../../domain/figures/retrieval-figures.ts";
import type { RetrievalLog, RetrievalStatistics } from "../../ports/memory.ts";
import type { Database } from "../sql.ts";
import { insert } from "../statement.ts";

/**
 * A row with a query of 500 characters takes .9 kB, so 100,000 take about 90 MB. `chunk`: rows
 * deleted per written row, so that a long log shrinks.
 */
const LOG_LIMITS = { rows: 100_000, ageMs: 30 * DAY_MS, chunk: 500 };

/** Ignores a known id. May throw `Transient`. */
export function storedRetrievals(db: Database, limits = LOG_LIMITS): RetrievalLog {
  return {
    async write(entry) {
      const { query, ...rest } = entry;
      const { id, repo, repoName, pull, origin, searched, retrievalMs, createdAt } = rest;
      const columns = { id, repo, repo_name: repoName, pull, origin, searched, retrieval_ms: retrievalMs };
      const row = { ...columns, query, entry: JSON.stringify(rest), created_at: createdAt };
      await insert(db, "retrievals", row, "ON CONFLICT (id) DO NOTHING");
      const { skipLocked } = db.dialect;
      // Rows leave oldest first: the newest row's number shows which are over the limit.
      await db.run(
        `DELETE FROM retrievals WHERE "row" IN (
           SELECT "row" FROM retrievals WHERE "row" <= (SELECT max("row") FROM retrievals) - CAST($1 AS bigint)
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
/** A repository is given by key or by name, which never look alike: no owner's name has a dot. */
const WITHIN =
  "created_at > $1 AND (CAST($2 AS text) IS NULL OR repo = $2 OR lower(repo_name) = lower(CAST($2 AS text)))";

/** @param now epoch milliseconds: the end of the window */
export function storedRetrievalStatistics(db: Database, now: () => number): RetrievalStatistics {
  return {
    read: ({ ms, repo }) =>
      db.snapshot(async (sql) => {
        const within = [now() - ms, repo];
        const entries = await sql.all<RetrievalRow>(
          `SELECT query, entry FROM retrievals WHERE ${WITHIN} ORDER BY "row"`,
          within,
        );
        const queries = await sql.all<{ query: string; count: number }>(
          `SELECT query, count(*) AS count FROM retrievals WHERE ${WITHIN} AND searched = 1
           GROUP BY query ORDER BY count DESC, query LIMIT ${TOP_QUERIES}`,
          within,
        );
        return retrievalFigures(entries.map(loggedRetrieval), queries);
      }),
  };
}

export interface RetrievalRow {
  readonly query: string;
  readonly entry: string;
}

const BEFORE_ADMITS = { admits: { distance: true, probability: null } };

export function loggedRetrieval({ query, entry }: RetrievalRow): LoggedRetrieval {
  const read = { ...BEFORE_ADMITS, ...(JSON.parse(entry) as LoggedRetrieval) };
  // Older rows lack the gate's time and the prompt's tokens.
  return { ...read, query, promptTokens: read.promptTokens ?? 0, gate: { ...read.gate, ms: read.gate.ms ?? null } };
}

/** Five minutes: figures of a day do not change visibly faster. */
const FIGURES_TTL_MS = 5 * 60_000;
const MOST = 100;

/**
 * The same statistics, read at most every five minutes per window. A failed reading is not cached.
 *
 * @param now milliseconds of a monotonic clock
 */
export function cachedStatistics(inner: RetrievalStatistics, now: () => number): RetrievalStatistics {
  // An entry is stale once it is older than `ttl`.
  const kept = new LRUCache<string, Promise<RetrievalFigures>>({
    max: MOST,
    ttl: FIGURES_TTL_MS - 1,
    ttlResolution: 0,
    perf: { now },
  });
  return {
    read(window) {
      const key = JSON.stringify([window.ms, window.repo]);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const figures = inner.read(window);
      kept.set(key, figures);
      figures.catch(() => kept.peek(key) === figures && kept.delete(key));
      return figures;
    },
  };
}
