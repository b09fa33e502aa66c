// How much a word tells: rare words tell more. A repository's own memory is too small to know what is rare, so its
// counts are mixed with counts over many repositories.
import type { Bm25Index } from "./bm25.ts";

/** In how many of `texts` comments of many repositories a word occurs. Holds counts only, never text. */
export interface Background {
  readonly texts: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The shape of the data file: words by how many comments they occur in. */
export interface BackgroundFile {
  readonly texts: number;
  /** count → words, separated by single spaces */
  readonly words: Readonly<Record<string, string>>;
}

export type WordWeight = (word: string) => number;

/** Reads the data file. */
export function readBackground(file: BackgroundFile): Background {
  const counts = new Map<string, number>();
  for (const [count, words] of Object.entries(file.words)) for (const word of words.split(" ")) counts.set(word, Number(count));
  return { texts: file.texts, counts };
}

/** Weight by rarity over many repositories alone, ≥ 0. */
export function backgroundWeight(background: Background): WordWeight {
  const top = Math.log(background.texts + 1);
  return (word) => top - Math.log((background.counts.get(word) ?? 0) + 1);
}

/** Half rarity over many repositories, half rarity in this memory (eval/research/retrieval.md: .25–.75 are within noise). */
export function mixedWeight(background: Background, memory: Bm25Index): WordWeight {
  const global = backgroundWeight(background);
  return (word) => {
    const id = memory.vocabulary.get(word);
    const count = id === undefined ? 0 : (memory.starts[id + 1] ?? 0) - (memory.starts[id] ?? 0);
    return 0.5 * global(word) + 0.5 * Math.log((memory.size + 1) / (count + 0.5));
  };
}

