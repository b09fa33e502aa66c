// Our own search on a PostgreSQL, joined as a server joins it: words in a thread of their own, vectors compared by the database.
import { connectPostgres } from "../src/adapters/postgres/database.ts";
import { keywordThread } from "../src/adapters/postgres/keyword-thread.ts";
import { type PostgresRecall, postgresRecall, type RecallLimits } from "../src/adapters/postgres/recall.ts";

/** @param url of a database that `kodiai migrate` filled from the folder of the same run */
export function storeRecall(url: string, limits: Partial<RecallLimits>): PostgresRecall {
  const db = connectPostgres(url, { name: "kodiai bench" });
  const recall = postgresRecall(db, limits, keywordThread(url, limits, { answerMs: null }));
  return {
    ...recall,
    async close() {
      await recall.close();
      await db.close();
    },
  };
}
