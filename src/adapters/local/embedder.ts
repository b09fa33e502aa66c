// An embedder without network, download or model: words weighted by rarity, folded into 1,024 numbers by a hash. Near
// means "shares rare words", so it finds the same thing said in the same words, and no synonyms.
import { TOKENISER_VERSION, tokenise } from "../../domain/text/tokenise.ts";
import { BACKGROUND, rarity } from "../../domain/text/word-rarity.ts";

const DIMENSION = 1_024;
/** UTF-16 units read of one text. */
const LONGEST_TEXT = 100_000;

export interface LocalEmbedder {
  /** Names everything that a stored vector depends on. */
  readonly model: string;
  readonly dimension: 1_024;
  embed(texts: readonly string[], kind: "query" | "document"): Float32Array[];
}

/** Deterministic; vectors of unit length; queries and documents are embedded alike. */
export function localEmbedder(): LocalEmbedder {
  const weigh = rarity(BACKGROUND);
  return {
    model: `local-hash-1:${TOKENISER_VERSION}`,
    dimension: DIMENSION,
    embed: (texts) => texts.map((text) => fold(text.slice(0, LONGEST_TEXT), weigh)),
  };
}

function fold(text: string, weigh: (word: string) => number): Float32Array {
  const counts = new Map<string, number>();
  for (const word of tokenise(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sums = new Float64Array(DIMENSION);
  for (const [word, count] of counts) {
    const hash = hashOf(word);
    const at = (hash >>> 1) % DIMENSION;
    // The sign makes two words that meet by chance cancel as often as they add.
    sums[at] = (sums[at] ?? 0) + (hash & 1 ? 1 : -1) * (1 + Math.log(count)) * weigh(word);
  }
  const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0));
  // A zero vector sorts first in some stores: a text without words stands alone on the first axis instead.
  if (length < 1e-9) sums[0] = 1;
  return Float32Array.from(sums, (value) => value / (length < 1e-9 ? 1 : length));
}

/** FNV-1a with a final mix, 32 bits. */
function hashOf(word: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
