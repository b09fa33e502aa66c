// The weight of a word, from its frequency over many repositories: rare words weigh more. Counts
// only; made by eval/fit-fusion.ts.
import file from "./background-words.json" with { type: "json" };

/** In how many of `texts` review comments a word occurs. */
export interface Background {
  readonly texts: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The shape of the data file. */
export interface BackgroundFile {
  readonly texts: number;
  /** count → words, separated by single spaces */
  readonly words: Readonly<Record<string, string>>;
}

/** Weight of a word, ≥ 0. */
type WordWeight = (word: string) => number;

/** The shipped table: words of 10,840 comments that at least three of 115 repositories share. */
export const BACKGROUND: Background = {
  texts: file.texts,
  counts: new Map(
    Object.entries(file.words).flatMap(([count, words]) =>
      words.split(" ").map((word) => [word, Number(count)] as const),
    ),
  ),
};

/** ln of how rare a word is over many repositories; a word missing from the table is the rarest. */
export function rarity(background: Background): WordWeight {
  const top = Math.log(background.texts + 1);
  return (word) => top - Math.log((background.counts.get(word) ?? 0) + 1);
}
