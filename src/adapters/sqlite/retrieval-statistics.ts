// The log of retrievals as figures over a window. Reads the narrow columns of each row, and the texts only to count them.
import { type CountedRetrieval, retrievalFigures } from "../../domain/retrieval-figures.ts";
import type { RetrievalStatistics } from "../../ports/memory.ts";
import { COUNTED_COLUMNS, countedRow } from "../memory/retrieval-row.ts";
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
      for (const row of db.prepare(`SELECT ${COUNTED_COLUMNS} FROM retrievals WHERE ${WITHIN}`).iterate(within))
        entries.push(countedRow(row));
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
