// A repository's own memory is too small to know which words are rare, so its counts are mixed with counts over many.
import { type Background, rarity } from "../domain/word-rarity.ts";
import { type Bm25Index, textsWith } from "./bm25.ts";
import type { Lexicon } from "./lexicon.ts";

/** Weights of words by their numbers, ≥ 0. */
export type Weights = Float64Array;

/** Half rarity over many repositories, half rarity in this memory (eval/research/retrieval.md: .25–.75 are within noise). */
export function mixedWeights(everywhere: Weights, memory: Bm25Index): Weights {
  // By the number of texts that hold the word.
  const here = Float64Array.from({ length: memory.size + 1 }, (_, count) =>
    Math.log((memory.size + 1) / (count + 0.5)),
  );
  const mixed = new Float64Array(everywhere.length);
  for (let word = 0; word < mixed.length; word += 1)
    mixed[word] = 0.5 * (everywhere[word] ?? 0) + 0.5 * (here[textsWith(memory, word)] ?? 0);
  return mixed;
}

/** Rarity over many repositories, of all words of a lexicon. */
export function everywhereWeights(background: Background, { size, wordOf }: Lexicon): Weights {
  const weigh = rarity(background);
  return Float64Array.from({ length: size() }, (_, word) => weigh(wordOf(word)));
}
