// A repository's own memory is too small to know which words are rare, so its counts are mixed with counts over many.
import { type Background, rarity, type WordWeight } from "../domain/word-rarity.ts";
import type { Bm25Index } from "./bm25.ts";

/** Half rarity over many repositories, half rarity in this memory (eval/research/retrieval.md: .25–.75 are within noise). */
export function mixedWeight(background: Background, memory: Bm25Index): WordWeight {
  const everywhere = rarity(background);
  const known = new Map<string, number>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const id = memory.vocabulary.get(word);
    const count = id === undefined ? 0 : (memory.starts[id + 1] ?? 0) - (memory.starts[id] ?? 0);
    const weight = 0.5 * everywhere(word) + 0.5 * Math.log((memory.size + 1) / (count + 0.5));
    known.set(word, weight);
    return weight;
  };
}
