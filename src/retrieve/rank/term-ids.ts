// Numbers words, so that comparisons work on small numbers: each search has its own.
import { tokenise } from "../../domain/text/tokenise.ts";

/** The numbers of words, from 0 on in the order of first occurrence. It only grows. */
export type Lexicon = ReturnType<typeof lexicon>;

/** An empty lexicon: each search makes one. */
export function lexicon() {
  const words: string[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (word: string) => {
    const known = numbers.get(word);
    if (known !== undefined) return known;
    numbers.set(word, words.length);
    return words.push(word) - 1;
  };
  return {
    /** The words of a text as `tokenise` gives them, in order, with repeats. */
    numbersOf: (text: string) => tokenise(text).map(numberOf),
    /** The same for a text that is already split into words. */
    numbered: (read: readonly string[]) => read.map(numberOf),
    wordOf: (number: number) => words[number] ?? "",
    size: () => words.length,
  };
}
