import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cachedEmbedder } from "../../../src/adapters/sqlite/embedding-cache.ts";
import { sqliteEvidence } from "../../../src/adapters/sqlite/evidence-shelf.ts";
import { sqliteMemory } from "../../../src/adapters/sqlite/memory.ts";
import { openMemory } from "../../../src/adapters/sqlite/memory-file.ts";
import { sqliteRecall } from "../../../src/adapters/sqlite/recall.ts";
import { sqliteFlaggedCode, sqliteRejections } from "../../../src/adapters/sqlite/rejections.ts";
import { sqliteReplays } from "../../../src/adapters/sqlite/replays.ts";
import { sqliteLabels } from "../../../src/adapters/sqlite/repository-label.ts";
import type { OpenShelf } from "../contracts/shelf.ts";

/** Memory in a file of its own. */
export async function openSqliteShelf(): Promise<
  OpenShelf & { readonly db: ReturnType<typeof openMemory>; readonly folder: string }
> {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-shelf-"));
  const path = join(folder, "memory.db");
  const db = openMemory(path);
  const recall = sqliteRecall({ path });
  return {
    db,
    folder,
    memory: sqliteMemory(db),
    recall,
    evidence: sqliteEvidence(db),
    past: { ...sqliteRejections(db), ...sqliteFlaggedCode(db) },
    labels: sqliteLabels(db),
    replays: sqliteReplays(db),
    cached: (embedder, now) => cachedEmbedder(embedder, db, now),
    count: async (table) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number,
    run: async (sql) => void db.exec(sql),
    async close() {
      await recall.close();
      if (db.open) db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
