// The log of retrievals as figures over a window. Reads the narrow columns of each row, and the texts only to count them.
import { retrievalFigures } from "../../domain/retrieval-figures.ts";
import type { RetrievalStatistics } from "../../ports/memory.ts";
import { COUNTED_COLUMNS, countedRow } from "../memory/retrieval-row.ts";
import type { Postgres } from "./sql.ts";

const TOP_QUERIES = 5;

/** What a window asks of a row. A key and a name never look alike: no owner's name holds a dot. */
const WITHIN = "created_at > $1 AND ($2::text IS NULL OR repo = $2 OR lower(repo_name) = lower($2))";

/** @param now epoch milliseconds: where the window ends */
export function postgresRetrievalStatistics(db: Postgres, now: () => number): RetrievalStatistics {
  return {
    read: ({ ms, repo }) =>
      db.snapshot(async (sql) => {
        const within = [now() - ms, repo];
        const entries = await sql.all(`SELECT ${COUNTED_COLUMNS} FROM retrievals WHERE ${WITHIN} ORDER BY row`, within);
        const queries = await sql.all<{ query: string; count: number }>(
          `SELECT query, count(*) AS count FROM retrievals WHERE ${WITHIN} AND searched = 1
           GROUP BY query ORDER BY count DESC, query LIMIT ${TOP_QUERIES}`,
          within,
        );
        return retrievalFigures(entries.map(countedRow), queries);
      }),
  };
}
