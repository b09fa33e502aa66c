// Numbers words, so that comparisons work on small numbers: each search has its own.
import { tokenise } from "../../domain/text/tokenise.ts";

/** The numbers of words, from 0 on in the order of first occurrence. It only grows. */
export interface Lexicon {
  /** The words of a text as `tokenise` gives them, in order, with repeats. */
  numbersOf(text: string): number[];
  /** The same for a text that is already split into words. */
  numbered(words: readonly string[]): number[];
  wordOf(number: number): string;
  /** Numbers given so far. */
  size(): number;
}

/** An empty lexicon: each search makes one. */
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
