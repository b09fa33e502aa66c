// Words as numbers, so that what compares words compares numbers: of each search its own, small ones.
import { tokenise } from "../../domain/text/tokenise.ts";

/** The numbers of words, from 0 on in the order in which they were met. It only grows. */
export interface Lexicon {
  /** The words of a text as `tokenise` gives them, in order, with repeats. */
  numbersOf(text: string): number[];
  /** The same of a text that was split into words already. */
  numbered(words: readonly string[]): number[];
  wordOf(number: number): string;
  /** Numbers given so far. */
  size(): number;
}

/** Without a word in it: one is made for each search. */
export function lexicon(): Lexicon {
  const words: string[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (word: string) => {
    const known = numbers.get(word);
    if (known !== undefined) return known;
    numbers.set(word, words.length);
    return words.push(word) - 1;
  };
  return {
    numbersOf: (text) => tokenise(text).map(numberOf),
    numbered: (read) => read.map(numberOf),
    wordOf: (number) => words[number] ?? "",
    size: () => words.length,
  };
}
