// All of memory's ports over one database.
import { cachedEmbedder } from "../../../src/store/memory/embedding-cache.ts";
import { storedEvidence } from "../../../src/store/memory/evidence.ts";
import { reclaimFile } from "../../../src/store/memory/memory-file.ts";
import { type RecallSettings, storedRecall } from "../../../src/store/memory/recall.ts";
import { storedRejections } from "../../../src/store/memory/rejections.ts";
import { storedLabels } from "../../../src/store/memory/repositories.ts";
import { storedMemory } from "../../../src/store/memory/stored-memory.ts";
import type { OpenMemoryPorts } from "../../adapters/contracts/memory-ports.ts";
import type { TestDatabase } from "../databases.ts";

/** @param settings other limits of the search than the documented ones */
export function memoryPortsOver(
  { db, place, close }: TestDatabase,
  settings: RecallSettings = {},
): OpenMemoryPorts & Pick<TestDatabase, "db" | "place"> {
  const isFile = place !== null && !place.startsWith("postgres");
  return {
    db,
    place,
    memory: storedMemory(db, isFile ? () => reclaimFile(db) : () => Promise.resolve()),
    recall: storedRecall(db, null, settings),
    evidence: storedEvidence(db),
    past: storedRejections(db),
    labels: storedLabels(db),
    cached: (embedder, now) => cachedEmbedder(embedder, db, now),
    count: async (table) => (await db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? -1,
    run: async (sql) => void (await db.run(sql)),
    close,
  };
}
