// The keyless embedder behind the port: no key, no network, no download, no waiting.
import type { Embedder } from "../../ports-memory.ts";
import { localEmbedder } from "./embedder.ts";

/**
 * Cosine distance under which two texts share enough rare words to speak of the same thing. Not calibrated yet on judged
 * pairs: chosen so that texts without a rare word in common (distance about 1) stay out.
 */
const THRESHOLD = 0.75;
/** Equal weight beside BM25 lowers recall; a quarter does not (measured on 21,281 review discussions). */
const WEIGHT = 0.25;

/** Costs nothing and cannot fail. */
export function localWords(): Embedder {
  const local = localEmbedder();
  return {
    space: { model: local.model, dimension: local.dimension },
    threshold: THRESHOLD,
    weight: WEIGHT,
    embed: (texts, kind) => Promise.resolve({ vectors: local.embed(texts, kind), tokens: 0, usd: 0, cached: 0 }),
  };
}
