// Reads the order out of what a language model wrote.

/** More than a thousand tokens of answer; what follows is not read. */
const MAX_REPLY = 20_000;

/**
 * The places that a reply names, best first: whole numbers in range, each once. Lines without letters may hold several
 * (`3, 1, 2`, `[3,1,2]`); of lines with words only a number at their beginning counts (`3: it shows the race`), so that
 * prose ("here are the 5 best") names nobody. Negative numbers and fractions name nobody either.
 */
export function parseOrder(reply: string, count: number): readonly number[] {
  const places = reply
    .slice(0, MAX_REPLY)
    .split(/\r?\n|\r/)
    .flatMap(numbersOf);
  return [...new Set(places)].filter((place) => place < count);
}

function numbersOf(line: string): readonly number[] {
  if (/\p{L}/u.test(line)) {
    const first = /^[\s[(#*"'`]{0,20}(?:- {1,4})?(\d{1,9})(?![\w.]*\d|\w)/.exec(line)?.[1];
    return first === undefined ? [] : [Number(first)];
  }
  return (line.match(/-?\d+(?:\.\d+)?/g) ?? []).filter((text) => /^\d{1,9}$/.test(text)).map(Number);
}
