// Embeddings of queries, kept for a day: reviewing the next push of a pull request asks almost the same questions again.
import { createHash } from "node:crypto";
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { Embedded, Embedder } from "../../ports/memory.ts";
import { type Database, write } from "./database.ts";
import { vectorProblem } from "./vector-problem.ts";

/** 24 hours: a query belongs to a pull request, and few are pushed to for longer. */
const TTL_MS = 24 * 60 * 60_000;
/** 10,000 vectors of 1024 components take 41 MB. */
const MOST_ROWS = 10_000;

/**
 * The same embedder, asked less: queries answered within a day come from the database, and within one call each
 * distinct text is embedded once. Documents are not kept: their vectors are in the memory itself.
 *
 * What goes wrong with the database is a miss, never an error. `cached` counts texts, not distinct ones.
 *
 * @param db an open memory (see openMemory)
 * @param now epoch milliseconds
 */
export function cachedEmbedder(inner: Embedder, db: Database.Database, now: () => number): Embedder {
  return {
    // Asked each time: an embedder may learn its dimension from the first answer.
    get space() {
      return inner.space;
    },
    threshold: inner.threshold,
    ...(inner.sameClaim === undefined ? {} : { sameClaim: inner.sameClaim }),
    weight: inner.weight,
    async embed(texts, kind) {
      const keep = kind === "query";
      const found = new Map<string, Float32Array>();
      const distinct = [...new Set(texts)];
      if (keep) readAll(db, inner.space, kind, distinct, now() - TTL_MS, found);
      const cached = texts.filter((text) => found.has(text)).length;
      const missing = distinct.filter((text) => !found.has(text));
      if (missing.length === 0) return told(texts, found, { tokens: 0, usd: 0, cached });
      const embedded = await inner.embed(missing, kind);
      const fresh = new Map<string, Float32Array>();
      missing.forEach((text, at) => {
        const vector = embedded.vectors[at] ?? null;
        if (vector !== null) fresh.set(text, vector);
      });
      if (keep) writeAll(db, inner.space, kind, fresh, now());
      for (const [text, vector] of fresh) found.set(text, vector);
      return told(texts, found, { ...embedded, cached: cached + embedded.cached });
    },
  };
}

function told(
  texts: readonly string[],
  found: ReadonlyMap<string, Float32Array>,
  cost: Omit<Embedded, "vectors">,
): Embedded {
  const { tokens, usd, cached, failed } = cost;
  const vectors = texts.map((text) => found.get(text) ?? null);
  return { vectors, tokens, usd, cached, ...(failed === undefined ? {} : { failed }) };
}

function readAll(
  db: Database.Database,
  space: EmbeddingSpace,
  kind: string,
  texts: readonly string[],
  since: number,
  found: Map<string, Float32Array>,
): void {
  try {
    const find = db.prepare("SELECT vector FROM embeddings WHERE key = ? AND at > ?").pluck();
    for (const text of texts) {
      const bytes = find.get(keyOf(space, kind, text), since) as Buffer | undefined;
      if (bytes === undefined || bytes.length !== space.dimension * 4) continue;
      const vector = new Float32Array(new Uint8Array(bytes).buffer);
      if (vectorProblem(vector, space.dimension) === null) found.set(text, vector);
    }
  } catch {
    // A database that cannot be read knows nothing.
  }
}

function writeAll(
  db: Database.Database,
  space: EmbeddingSpace,
  kind: string,
  fresh: ReadonlyMap<string, Float32Array>,
  at: number,
): void {
  const sound = [...fresh].filter(([, vector]) => vectorProblem(vector, space.dimension) === null);
  if (sound.length === 0) return;
  try {
    write(db, () => {
      const add = db.prepare("INSERT OR REPLACE INTO embeddings (key, vector, at) VALUES (?, ?, ?)");
      for (const [text, vector] of sound) add.run(keyOf(space, kind, text), bytesOf(vector), at);
      db.prepare("DELETE FROM embeddings WHERE at <= ?").run(at - TTL_MS);
      const over = `SELECT key FROM embeddings ORDER BY at DESC, key LIMIT -1 OFFSET ${MOST_ROWS}`;
      db.prepare(`DELETE FROM embeddings WHERE key IN (${over})`).run();
    });
  } catch {
    // Not kept: it is embedded again next time.
  }
}

/** Texts are people's words: only their hash is kept. */
function keyOf(space: EmbeddingSpace, kind: string, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([space.model, space.dimension, kind, text]))
    .digest("hex");
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
