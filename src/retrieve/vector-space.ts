// Texts as unit vectors of weighted words, kept by word, so that one query meets only the texts that share a word.
import type { WordWeight } from "../domain/word-rarity.ts";

export interface VectorSpace {
  readonly size: number;
  readonly vocabulary: ReadonlyMap<string, number>;
  /** Entries of word w stand at starts[w] … starts[w + 1]. */
  readonly starts: Uint32Array;
  readonly texts: Uint32Array;
  readonly values: Float64Array;
}

/** A sparse unit vector: word → share. */
export type Vector = ReadonlyMap<string, number>;

/**
 * A unit vector of a text's words: (1 + ln count) × weight, divided by its length. A text without words gives an
 * empty vector, which is near nothing.
 */
export function vectorOf(words: readonly string[], weigh: WordWeight): Vector {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  let square = 0;
  for (const [word, count] of counts) {
    const value = (count === 1 ? 1 : 1 + Math.log(count)) * weigh(word);
    counts.set(word, value);
    square += value * value;
  }
  const length = Math.sqrt(square) || 1;
  for (const [word, value] of counts) counts.set(word, value / length);
  return counts;
}

/** @param vectors one per text, in the order in which nearness will be told */
export function buildSpace(vectors: readonly Vector[]): VectorSpace {
  const vocabulary = new Map<string, number>();
  const sizes: number[] = [];
  // The words of all texts, one after another, by number.
  const words: number[] = [];
  for (const vector of vectors) {
    for (const word of vector.keys()) {
      let id = vocabulary.get(word);
      if (id === undefined) {
        id = vocabulary.size;
        vocabulary.set(word, id);
        sizes.push(0);
      }
      sizes[id] = (sizes[id] ?? 0) + 1;
      words.push(id);
    }
  }
  const starts = new Uint32Array(sizes.length + 1);
  sizes.forEach((size, word) => {
    starts[word + 1] = (starts[word] ?? 0) + size;
  });
  return { size: vectors.length, vocabulary, starts, ...fill(vectors, words, starts) };
}

function fill(vectors: readonly Vector[], words: readonly number[], starts: Uint32Array) {
  const next = starts.slice();
  const texts = new Uint32Array(starts.at(-1) ?? 0);
  const values = new Float64Array(texts.length);
  let which = 0;
  vectors.forEach((vector, text) => {
    for (const value of vector.values()) {
      const id = words[which] ?? 0;
      which += 1;
      const at = next[id] ?? 0;
      next[id] = at + 1;
      texts[at] = text;
      values[at] = value;
    }
  });
  return { texts, values };
}

/** Cosine of a vector to every text of the space, 0–1. */
export function nearness(space: VectorSpace, vector: Vector): Float64Array {
  const { vocabulary, starts, texts, values } = space;
  const near = new Float64Array(space.size);
  for (const [word, share] of vector) {
    const id = vocabulary.get(word);
    if (id === undefined) continue;
    const end = starts[id + 1] ?? 0;
    for (let at = starts[id] ?? 0; at < end; at += 1) {
      const text = texts[at] ?? 0;
      near[text] = (near[text] ?? 0) + share * (values[at] ?? 0);
    }
  }
  return near;
}
