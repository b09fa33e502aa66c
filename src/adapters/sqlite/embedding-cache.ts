// Embeddings of queries, kept for a day in memory.db.
import type { Embedder } from "../../ports/memory.ts";
import { MOST_KEPT, withKeptVectors } from "../memory/kept-vectors.ts";
import { type Database, write } from "./database.ts";

/**
 * The same embedder, asked less (see withKeptVectors).
 *
 * @param db an open memory (see openMemory)
 * @param now epoch milliseconds
 */
export function cachedEmbedder(inner: Embedder, db: Database.Database, now: () => number): Embedder {
  return withKeptVectors(
    inner,
    {
      async read(keys, since) {
        const find = db.prepare("SELECT vector FROM embeddings WHERE key = ? AND at > ?").pluck();
        const found = keys.map((key) => [key, find.get(key, since) as Buffer | undefined] as const);
        return new Map(found.flatMap(([key, bytes]) => (bytes === undefined ? [] : [[key, bytes] as const])));
      },
      async write(fresh, at, before) {
        write(db, () => {
          const add = db.prepare("INSERT OR REPLACE INTO embeddings (key, vector, at) VALUES (?, ?, ?)");
          for (const [key, bytes] of fresh) add.run(key, bytes, at);
          db.prepare("DELETE FROM embeddings WHERE at <= ?").run(before);
          const over = `SELECT key FROM embeddings ORDER BY at DESC, key LIMIT -1 OFFSET ${MOST_KEPT}`;
          db.prepare(`DELETE FROM embeddings WHERE key IN (${over})`).run();
        });
      },
    },
    now,
  );
}
