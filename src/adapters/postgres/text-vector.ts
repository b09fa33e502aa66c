// What Postgres's own index has of words, made here: its parser takes five times as long for a memory's words, which are taken apart
// already, as putting them down does.
import { MOST_INDEXED } from "./write-records.ts";

/** Other letters are read by rules of the server's locale, and `12e3x` it takes apart once more. */
const NOT_PLAIN = /[^a-z0-9 ]|(?:^| )[0-9]+e[0-9]/;
/** What a text vector keeps (https://www.postgresql.org/docs/17/textsearch-limitations.html): places below 2¹⁴, 255 of them a word. */
const MOST_WORDS = 16_000;
const MOST_PLACES = 255;
const LONGEST_WORD = 2_000;
/** The weight of a word stands in the upper two bits of its place. */
const WEIGHT_A = 3 << 14;
const WEIGHT_D = 0;

/**
 * `setweight(to_tsvector('simple', first), 'A') || setweight(to_tsvector('simple', second), 'D')`, in the binary form.
 *
 * @returns null where only the server knows: letters beyond ASCII, numbers with an exponent, more of something than a vector keeps
 */
export function textVector(first: string, second: string): Buffer | null {
  if (Math.max(first.length, second.length) > MOST_INDEXED) return null;
  if (NOT_PLAIN.test(first) || NOT_PLAIN.test(second)) return null;
  const places = new Map<string, number[]>();
  const before = place(first, WEIGHT_A, 0, places);
  if (place(second, WEIGHT_D, before, places) > MOST_WORDS) return null;
  let bytes = 4;
  for (const [word, at] of places) {
    if (word.length > LONGEST_WORD || at.length > MOST_PLACES) return null;
    bytes += word.length + 3 + at.length * 2;
  }
  const vector = Buffer.allocUnsafe(bytes);
  let end = vector.writeInt32BE(places.size);
  for (const [word, at] of places) {
    end += vector.write(word, end, "latin1");
    end = vector.writeUInt16BE(at.length, vector.writeUInt8(0, end));
    for (const one of at) end = vector.writeUInt16BE(one, end);
  }
  return vector;
}

/** Notes where each word stands, counted on from `count`; returns how many there are by then. */
function place(text: string, weight: number, count: number, places: Map<string, number[]>): number {
  let at = count;
  for (const word of text.split(" ")) {
    if (word === "") continue;
    at += 1;
    const known = places.get(word);
    if (known === undefined) places.set(word, [at | weight]);
    else known.push(at | weight);
  }
  return at;
}
