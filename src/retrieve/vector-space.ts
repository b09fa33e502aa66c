// Texts as unit vectors of weighted words, kept by word, so that one query meets only the texts that share a word.
import { type Bags, holdersOf } from "./bags.ts";
import type { Weights } from "./word-weight.ts";

export interface VectorSpace {
  readonly size: number;
  /** Entries of word w stand at starts[w] … starts[w + 1]. */
  readonly starts: Uint32Array;
  readonly texts: Uint32Array;
  readonly values: Float64Array;
}

/** Sparse unit vectors: the words of each and their shares. */
export interface Vectors extends Bags {
  readonly shares: Float64Array;
}

/**
 * Unit vectors of texts' words: (1 + ln count) × weight, divided by the vector's length. A text without words gives an
 * empty vector, which is near nothing.
 */
export function vectorsOf(bags: Bags, weights: Weights): Vectors {
  const { starts, words, counts } = bags;
  const shares = new Float64Array(words.length);
  for (let at = 0; at < shares.length; at += 1) {
    const count = counts[at] ?? 0;
    shares[at] = (count === 1 ? 1 : 1 + Math.log(count)) * (weights[words[at] ?? 0] ?? 0);
  }
  for (let text = 0; text + 1 < starts.length; text += 1) toUnit(shares, starts[text] ?? 0, starts[text + 1] ?? 0);
  return { ...bags, shares };
}

function toUnit(shares: Float64Array, start: number, end: number): void {
  let square = 0;
  for (let at = start; at < end; at += 1) square += (shares[at] ?? 0) * (shares[at] ?? 0);
  const length = Math.sqrt(square) || 1;
  for (let at = start; at < end; at += 1) shares[at] = (shares[at] ?? 0) / length;
}

/** @param vectors one per text, in the order in which nearness will be told */
export function buildSpace(vectors: Vectors, weights: Weights): VectorSpace {
  const { starts, texts, places } = holdersOf(vectors, weights.length);
  const values = new Float64Array(texts.length);
  for (let at = 0; at < values.length; at += 1) values[at] = vectors.shares[places[at] ?? 0] ?? 0;
  return { size: vectors.starts.length - 1, starts, texts, values };
}

/**
 * Cosine of a vector to every text of the space, 0–1.
 *
 * @param near where it is told: one figure a text, whatever stood there before
 */
export function nearness(space: VectorSpace, vectors: Vectors, which: number, near: Float64Array): void {
  const { starts, texts, values } = space;
  near.fill(0);
  const last = vectors.starts[which + 1] ?? 0;
  for (let of = vectors.starts[which] ?? 0; of < last; of += 1) {
    const word = vectors.words[of] ?? 0;
    const share = vectors.shares[of] ?? 0;
    const end = starts[word + 1] ?? 0;
    for (let at = starts[word] ?? 0; at < end; at += 1) {
      const text = texts[at] ?? 0;
      near[text] = (near[text] ?? 0) + share * (values[at] ?? 0);
    }
  }
}
