// Masks everything in a text that identifies its repository.

/** Words of a text: names of accounts, repositories, branches and files are whole words. */
const WORD = /[\w-]+(?:\.[\w-]+)*/g;

const SHAPES: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/^(?:gh[a-z]|github_pat)_[\w-]{16,}/, "TOKEN"],
  [/^[0-9a-f]{40,64}$/, "SHA"],
  // Node ids, and the ids of requests in GitHub's own messages.
  [/^[A-Z]{1,6}_[\w-]{6,}$|^(?=.*\d)[0-9A-F]{4,}$/, "ID"],
];

interface Mask {
  (text: string): string;
  /** From now on these words are replaced by those; case is ignored. */
  learn(words: Readonly<Record<string, string>>): void;
}

/** A mask that knows only forms: numbers between slashes, numbers and ids of GitHub, commits and tokens. */
export function masker(): Mask {
  const known = new Map<string, string>();
  const shown = (word: string) =>
    known.get(word.toLowerCase()) ?? SHAPES.find(([pattern]) => pattern.test(word))?.[1] ?? word;
  const mask = (text: string) => text.replace(/(?<=\/)\d+(?=\/|\s|$)/g, "N").replace(WORD, shown);
  return Object.assign(mask, {
    learn(words: Readonly<Record<string, string>>) {
      for (const [word, as] of Object.entries(words)) known.set(word.toLowerCase(), as);
    },
  });
}
