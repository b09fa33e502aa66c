// All of memory's ports over one database.
import { ROWS_IN_DATABASE } from "../../../src/search/memory-search.ts";
import { cachedEmbedder } from "../../../src/store/memory/embedding-cache.ts";
import { storedEvidence } from "../../../src/store/memory/evidence.ts";
import { reclaimFile } from "../../../src/store/memory/memory-file.ts";
import { threadRecall } from "../../../src/store/memory/recall.ts";
import { storedRejections } from "../../../src/store/memory/rejections.ts";
import { storedLabels, storedReplays } from "../../../src/store/memory/repositories.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import type { OpenMemoryPorts } from "../../adapters/contracts/memory-ports.ts";
import type { TestDatabase } from "../databases.ts";
import { recallInProcess, searchable } from "./recall-in-process.ts";

/**
 * @param rowsInDatabase scopes of up to so many rows are searched by vectors in the database
 * @param isThreaded false searches without a thread of its own, which takes a while to start
 */
export function memoryPortsOver(
  { db, place, close }: TestDatabase,
  rowsInDatabase = ROWS_IN_DATABASE,
  isThreaded = true,
): OpenMemoryPorts & Pick<TestDatabase, "db" | "place"> {
  const thread = place === null || !isThreaded ? null : threadRecall({ place, rowsInDatabase });
  const reading = thread === null ? searchable({ db, place }) : null;
  const recall = thread ?? recallInProcess(reading ?? db, rowsInDatabase);
  const isFile = place !== null && !place.startsWith("postgres");
  return {
    db,
    place,
    memory: storedMemory(db, isFile ? () => reclaimFile(db) : () => Promise.resolve()),
    recall,
    evidence: storedEvidence(db),
    past: storedRejections(db),
    labels: storedLabels(db),
    replays: storedReplays(db),
    cached: (embedder, now) => cachedEmbedder(embedder, db, now),
    count: async (table) => (await db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? -1,
    run: async (sql) => void (await db.run(sql)),
    async close() {
      await thread?.close();
      await reading?.close();
      await close();
    },
  };
}
