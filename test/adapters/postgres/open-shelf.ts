import { cachedEmbedder } from "../../../src/adapters/postgres/embedding-cache.ts";
import { postgresEvidence } from "../../../src/adapters/postgres/evidence-shelf.ts";
import { postgresFlaggedCode } from "../../../src/adapters/postgres/flagged-code.ts";
import { postgresMemory } from "../../../src/adapters/postgres/memory.ts";
import { postgresRecall } from "../../../src/adapters/postgres/recall.ts";
import { postgresRejections } from "../../../src/adapters/postgres/rejections.ts";
import { postgresReplays } from "../../../src/adapters/postgres/replays.ts";
import { postgresLabels } from "../../../src/adapters/postgres/repository-labels.ts";
import type { Postgres } from "../../../src/adapters/postgres/sql.ts";
import type { OpenShelf } from "../contracts/shelf.ts";
import { emptied } from "./contract-database.ts";

/** Memory in a database that is emptied first. */
export async function openPostgresShelf(db: Postgres): Promise<OpenShelf> {
  await emptied(db);
  return {
    memory: postgresMemory(db),
    recall: postgresRecall(db),
    evidence: postgresEvidence(db),
    past: { ...postgresRejections(db), ...postgresFlaggedCode(db) },
    labels: postgresLabels(db),
    replays: postgresReplays(db),
    cached: (embedder, now) => cachedEmbedder(embedder, db, now),
    count: async (table) => (await db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? -1,
    run: async (sql) => void (await db.run(sql)),
    close: async () => {},
  };
}
