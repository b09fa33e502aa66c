// Embeddings of queries, kept for a day: reviewing the next push of a pull request asks almost the same questions again.
import { createHash } from "node:crypto";
import type { EmbeddingSpace } from "../../domain/memory.ts";
import type { Embedded, Embedder } from "../../ports/memory.ts";
import { vectorProblem } from "./vector-problem.ts";

/** 24 hours: a query belongs to a pull request, and few are pushed to for longer. */
const TTL_MS = 24 * 60 * 60_000;
/** 10,000 vectors of 1024 components take 41 MB. */
export const MOST_KEPT = 10_000;

/** Where vectors are kept, by key. What goes wrong there is a miss, never an error: methods may throw anything. */
export interface KeptVectors {
  /** Of these keys, the bytes of those kept after `since` (epoch milliseconds). */
  read(keys: readonly string[], since: number): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Keeps them as of `at`; goes: what was kept at `before` or earlier, and the oldest beyond MOST_KEPT. */
  write(fresh: ReadonlyMap<string, Uint8Array>, at: number, before: number): Promise<void>;
}

/**
 * The same embedder, asked less: queries answered within a day come from where they are kept, and within one call each
 * distinct text is embedded once. Documents are not kept: their vectors are in the memory itself.
 *
 * `cached` counts texts, not distinct ones.
 *
 * @param now epoch milliseconds
 */
export function withKeptVectors(inner: Embedder, kept: KeptVectors, now: () => number): Embedder {
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
      const distinct = [...new Set(texts)];
      const found = keep ? await readAll(kept, inner.space, distinct, now()) : new Map<string, Float32Array>();
      const cached = texts.filter((text) => found.has(text)).length;
      const missing = distinct.filter((text) => !found.has(text));
      if (missing.length === 0) return told(texts, found, { tokens: 0, usd: 0, cached });
      const embedded = await inner.embed(missing, kind);
      const fresh = new Map<string, Float32Array>();
      missing.forEach((text, at) => {
        const vector = embedded.vectors[at] ?? null;
        if (vector !== null) fresh.set(text, vector);
      });
      if (keep) await writeAll(kept, inner.space, fresh, now());
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

async function readAll(
  kept: KeptVectors,
  space: EmbeddingSpace,
  texts: readonly string[],
  now: number,
): Promise<Map<string, Float32Array>> {
  const found = new Map<string, Float32Array>();
  try {
    const keys = new Map(texts.map((text) => [keyOf(space, text), text]));
    for (const [key, bytes] of await kept.read([...keys.keys()], now - TTL_MS)) {
      const text = keys.get(key);
      if (text === undefined || bytes.length !== space.dimension * 4) continue;
      const vector = new Float32Array(new Uint8Array(bytes).buffer);
      if (vectorProblem(vector, space.dimension) === null) found.set(text, vector);
    }
  } catch {
    // A database that cannot be read knows nothing.
  }
  return found;
}

async function writeAll(
  kept: KeptVectors,
  space: EmbeddingSpace,
  fresh: ReadonlyMap<string, Float32Array>,
  at: number,
): Promise<void> {
  const sound = [...fresh].filter(([, vector]) => vectorProblem(vector, space.dimension) === null);
  if (sound.length === 0) return;
  try {
    await kept.write(new Map(sound.map(([text, vector]) => [keyOf(space, text), bytesOf(vector)])), at, at - TTL_MS);
  } catch {
    // Not kept: it is embedded again next time.
  }
}

/** Texts are people's words: only their hash is kept. */
function keyOf(space: EmbeddingSpace, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([space.model, space.dimension, "query", text]))
    .digest("hex");
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
