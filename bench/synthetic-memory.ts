// Vectors and texts with the shape of real ones, the same on every run.

/** Numbers in [0, 1), from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Unit vectors, one after another: see `vectorMaker`.
 *
 * @param dimension a power of two
 */
export function syntheticVectors(count: number, dimension: number, random: () => number): Float32Array {
  const make = vectorMaker(count, dimension, random);
  const out = new Float32Array(count * dimension);
  for (let row = 0; row < count; row += 1) make(out, row * dimension);
  return out;
}

/**
 * Writes one unit vector a call: a common mean, 300 topics, 6000 subtopics and noise of 192
 * directions, the leading half of the components with more variance. Cosine of a random pair about
 * .26, of near neighbours .57–.69, as embedded review comments have.
 *
 * @param count vectors that will be made, about: few vectors have few topics
 * @param dimension a power of two
 */
export function vectorMaker(
  count: number,
  dimension: number,
  random: () => number,
): (out: Float32Array, offset: number) => void {
  const direction = (weight: number) =>
    scaled(
      Float64Array.from({ length: dimension }, () => gaussian(random)),
      weight,
    );
  const mean = direction(Math.sqrt(0.26));
  const topics = Array.from({ length: Math.min(300, count) }, () => direction(Math.sqrt(0.12)));
  const subtopics = Array.from({ length: Math.min(6000, count) }, () => direction(Math.sqrt(0.25)));
  const signs = Array.from({ length: dimension }, () => (random() < 0.5 ? -1 : 1));
  return (out, offset) => {
    const sub = Math.floor(random() ** 2 * subtopics.length);
    const noise = new Float64Array(dimension);
    for (let at = 0; at < 192; at += 1) noise[(at * 5) % dimension] = gaussian(random) / (1 + at / 64);
    spread(noise);
    scaled(noise, Math.sqrt(0.37));
    const vector = new Float64Array(dimension);
    for (let at = 0; at < dimension; at += 1) {
      const lean = at < dimension / 4 ? 1.4 : 0.82;
      vector[at] =
        lean *
        ((mean[at] ?? 0) +
          (topics[sub % topics.length]?.[at] ?? 0) +
          (subtopics[sub]?.[at] ?? 0) +
          (noise[at] ?? 0) * (signs[at] ?? 1));
    }
    out.set(scaled(vector, 1), offset);
  };
}

const SYLLABLES =
  "ba be con cor da der di el en fi fo ga gra hu im in jo ka ker la lo ma mer mi na nu op or pa pre qua ro sa set ta tor un va ver wi".split(
    " ",
  );
const VOCABULARY = 200_000;
const PICKS = 2 ** 20;

/**
 * Words as 10,840 real review comments use them (eval/retrieval, stop words left out): the word of
 * rank r as often as (r + 5)^−.7 says up to rank 500 and r^−1.35 beyond; a quarter of the rarer
 * ones are identifiers in camelCase.
 */
export function wordMaker(random: () => number): () => string {
  const word = (syllables: number) =>
    Array.from({ length: syllables }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join("");
  const vocabulary = Array.from({ length: VOCABULARY }, (_, rank) => {
    const plain = word(rank < 300 ? 2 : rank < 20_000 ? 3 : 4);
    return rank > 500 && rank % 4 === 3 ? plain + word(2).replace(/^./, (first) => first.toUpperCase()) : plain;
  });
  const weight = (rank: number) => (rank < 500 ? (rank + 5) ** -0.7 : 505 ** -0.7 * (rank / 500) ** -1.35);
  let total = 0;
  for (let rank = 1; rank <= VOCABULARY; rank += 1) total += weight(rank);
  const picks = new Uint32Array(PICKS);
  for (let rank = 1, sum = 0, at = 0; rank <= VOCABULARY; rank += 1) {
    sum += weight(rank) / total;
    while (at < PICKS && at < sum * PICKS) picks[at++] = rank - 1;
  }
  return () => vocabulary[picks[Math.floor(random() * PICKS)] ?? 0] ?? "";
}

/**
 * What a text is like: its number of words is log-normal, and a part of them repeat a word that it
 * has already.
 */
export interface Passage {
  readonly median: number;
  /** Of the logarithm of the number of words. */
  readonly deviation: number;
  readonly most: number;
  /** 0–1. */
  readonly repeats: number;
}

/** A text of at least 3 words. */
export function passage(like: Passage, word: () => string, random: () => number): string {
  const length = Math.round(like.median * Math.exp(gaussian(random) * like.deviation));
  const words: string[] = [];
  for (let at = Math.min(like.most, Math.max(3, length)); at > 0; at -= 1) {
    const again = random() < like.repeats ? words[Math.floor(random() * words.length)] : undefined;
    words.push(again ?? word());
  }
  return words.join(" ");
}

/** In place, to a length. */
function scaled(values: Float64Array, length: number): Float64Array {
  let squares = 0;
  for (const value of values) squares += value * value;
  const factor = length / Math.sqrt(squares);
  for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) * factor;
  return values;
}

/** Walsh–Hadamard, so that few directions reach all components. */
function spread(values: Float64Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += half * 2) {
      for (let at = start; at < start + half; at += 1) {
        const [one, other] = [values[at] ?? 0, values[at + half] ?? 0];
        values[at] = one + other;
        values[at + half] = one - other;
      }
    }
  }
}

/** About normal: the sum of four uniform numbers. */
function gaussian(random: () => number): number {
  return (random() + random() + random() + random() - 2) * Math.sqrt(3);
}
