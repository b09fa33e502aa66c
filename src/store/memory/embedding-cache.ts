// Caches embeddings of queries for a day, because reviews of the next pushes repeat most queries.
import type { EmbeddingSpace } from "../../domain/memory.ts";
import { shortHash } from "../../domain/text/hash.ts";
import type { Embedder } from "../../ports/memory.ts";
import { vectorProblem } from "../../search/code.ts";
import { jsonRows } from "../dialect.ts";
import type { Database } from "../sql.ts";

/** 24 hours: a query belongs to a pull request, and few are pushed to for longer. */
const TTL_MS = 24 * 60 * 60_000;
/** 10,000 vectors of 1024 components take 41 MB. */
const MOST_KEPT = 10_000;

/**
 * Queries embedded within a day come from the database, and each call embeds a distinct text once;
 * `cached` counts all texts. Documents are not cached: their vectors are in memory. A failure of
 * the cache is a miss, never an error.
 *
 * @param now epoch milliseconds
 */
export function cachedEmbedder(inner: Embedder, db: Database, now: () => number): Embedder {
  return {
    ...inner,
    // Not copied, because an embedder may learn its dimension from the first answer.
    get space() {
      return inner.space;
    },
    async embed(texts, kind) {
      const keep = kind === "query";
      const distinct = [...new Set(texts)];
      const found = keep ? await readAll(db, inner.space, distinct, now()) : new Map<string, Float32Array>();
      const cached = texts.filter((text) => found.has(text)).length;
      const missing = distinct.filter((text) => !found.has(text));
      const vectors = () => texts.map((text) => found.get(text) ?? null);
      if (missing.length === 0) return { vectors: vectors(), tokens: 0, usd: 0, cached, failed: null };
      const embedded = await inner.embed(missing, kind);
      const fresh = new Map<string, Float32Array>();
      for (const [at, vector] of embedded.vectors.entries()) if (vector !== null) fresh.set(missing[at] ?? "", vector);
      if (keep) await writeAll(db, inner.space, fresh, now());
      for (const [text, vector] of fresh) found.set(text, vector);
      return { ...embedded, vectors: vectors(), cached: cached + embedded.cached };
    },
  };
}

async function readAll(
  db: Database,
  space: EmbeddingSpace,
  texts: readonly string[],
  now: number,
): Promise<Map<string, Float32Array>> {
  const found = new Map<string, Float32Array>();
  try {
    const keys = new Map(texts.map((text) => [keyOf(space, text), text]));
    const rows = await db.all<{ key: string; vector: Uint8Array }>(
      `SELECT key, vector FROM embeddings WHERE ${db.dialect.among("key", "$1", "text")} AND at > $2`,
      [[...keys.keys()], now - TTL_MS],
    );
    for (const { key, vector: bytes } of rows) {
      const text = keys.get(key);
      if (text === undefined || bytes.length !== space.dimension * 4) continue;
      const vector = new Float32Array(new Uint8Array(bytes).buffer);
      if (vectorProblem(vector, space.dimension) === null) found.set(text, vector);
    }
  } catch {
    // Unreadable entries are embedded again.
  }
  return found;
}

async function writeAll(
  db: Database,
  space: EmbeddingSpace,
  fresh: ReadonlyMap<string, Float32Array>,
  at: number,
): Promise<void> {
  const usable = [...fresh].filter(([, vector]) => vectorProblem(vector, space.dimension) === null);
  if (usable.length === 0) return;
  const rows = usable.map(([text, { buffer, byteOffset, byteLength }]) => ({
    key: keyOf(space, text),
    vector: Buffer.from(buffer, byteOffset, byteLength).toString("hex"),
  }));
  try {
    await db.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO embeddings (key, vector, at)
         SELECT key, vector, CAST($2 AS bigint) FROM ${tx.dialect.rows("$1", { key: "text", vector: "bytes" })}
         WHERE true ON CONFLICT (key) DO UPDATE SET vector = excluded.vector, at = excluded.at`,
        [jsonRows(rows), at],
      );
      await tx.run("DELETE FROM embeddings WHERE at <= $1", [at - TTL_MS]);
      await tx.run(
        `DELETE FROM embeddings WHERE key IN
           (SELECT key FROM (SELECT key, row_number() OVER (ORDER BY at DESC, key) AS place FROM embeddings) e WHERE place > $1)`,
        [MOST_KEPT],
      );
    });
  } catch {
    // Not cached: embedded again next time.
  }
}

/** Stores only a hash of the text. */
function keyOf({ model, dimension }: EmbeddingSpace, text: string): string {
  return shortHash(JSON.stringify([model, dimension, "query", text]), 64);
}
