// Embeddings of queries, kept for a day.
import type { Embedder } from "../../ports/memory.ts";
import { MOST_KEPT, withKeptVectors } from "../memory/kept-vectors.ts";
import type { Postgres } from "./sql.ts";

/**
 * The same embedder, asked less (see withKeptVectors).
 *
 * @param now epoch milliseconds
 */
export function cachedEmbedder(inner: Embedder, db: Postgres, now: () => number): Embedder {
  return withKeptVectors(
    inner,
    {
      async read(keys, since) {
        const rows = await db.all<{ key: string; vector: Buffer }>(
          "SELECT key, vector FROM embeddings WHERE key = ANY ($1::text[]) AND at > $2",
          [keys, since],
        );
        return new Map(rows.map(({ key, vector }) => [key, vector]));
      },
      async write(fresh, at, before) {
        // In the order of the keys: two processes that keep the same texts wait for each other, and neither for ever.
        const rows = [...fresh].sort(([one], [other]) => (one < other ? -1 : 1));
        await db.run(
          `INSERT INTO embeddings (key, vector, at) SELECT key, vector, $3 FROM unnest($1::text[], $2::bytea[]) AS x (key, vector)
           ON CONFLICT (key) DO UPDATE SET vector = excluded.vector, at = excluded.at`,
          [rows.map(([key]) => key), rows.map(([, bytes]) => bytes), at],
        );
        await db.run("DELETE FROM embeddings WHERE at <= $1", [before]);
        await db.run(
          "DELETE FROM embeddings WHERE key IN (SELECT key FROM embeddings ORDER BY at DESC, key OFFSET $1 FOR UPDATE SKIP LOCKED)",
          [MOST_KEPT],
        );
      },
    },
    now,
  );
}
