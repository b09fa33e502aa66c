// The words of a remembered text, read once for both who want them: what says the same is told by words as they stand, what is
// alike by words as the tokeniser gives them.
import { keptFor } from "./kept-readings.ts";
import type { BothWays, Lexicon } from "./lexicon.ts";

/** Words and characters read of one text: quoted logs of megabytes must not make a search slow. */
const WORDS_READ = 1_000;
const CHARACTERS_READ = 10_000;

/** In the numbers that searches share. */
export interface RememberedWords extends BothWays {
  /** What was read: all of a text, or its beginning. */
  readonly text: string;
}

const readings = keptFor<RememberedWords>();
/** Of a number in a list. */
const BYTES = 8;

export function rememberedWords(
  { id, text }: { readonly id: string; readonly text: string },
  { table, bothOf }: Lexicon["shared"],
): RememberedWords {
  const kept = readings(table);
  const known = kept.of(id, [text]);
  if (known !== undefined) return known;
  const beginning = text.slice(0, CHARACTERS_READ);
  const { words, asTheyStand } = bothOf(beginning);
  const read = { text: beginning, words, asTheyStand: asTheyStand.slice(0, WORDS_READ) };
  return kept.keep(id, [text], read, (words.length + read.asTheyStand.length) * BYTES);
}
