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
 * Unit vectors, one after another: a common mean, 300 topics, 6000 subtopics and noise of 192 directions, the leading
 * half of the components with more variance. Cosine of a random pair about .26, of near neighbours .57–.69, as embedded
 * review comments have.
 *
 * @param dimension a power of two
 */
export function syntheticVectors(count: number, dimension: number, random: () => number): Float32Array {
  const direction = (weight: number) =>
    scaled(
      Float64Array.from({ length: dimension }, () => gaussian(random)),
      weight,
    );
  const mean = direction(Math.sqrt(0.26));
  const topics = Array.from({ length: Math.min(300, count) }, () => direction(Math.sqrt(0.12)));
  const subtopics = Array.from({ length: Math.min(6000, count) }, () => direction(Math.sqrt(0.25)));
  const signs = Array.from({ length: dimension }, () => (random() < 0.5 ? -1 : 1));
  const out = new Float32Array(count * dimension);
  for (let row = 0; row < count; row += 1) {
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
    out.set(scaled(vector, 1), row * dimension);
  }
  return out;
}

/** Texts of 40–200 words, frequent words first as in any language, with identifiers among them. */
export function syntheticTexts(count: number, random: () => number): string[] {
  const syllables = [
    "ba",
    "con",
    "der",
    "el",
    "fi",
    "gra",
    "hu",
    "in",
    "jo",
    "ka",
    "lo",
    "mer",
    "nu",
    "or",
    "pre",
    "ro",
    "set",
    "ta",
    "un",
    "ver",
  ];
  const word = () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => syllables[Math.floor(random() * 20)]).join("");
  const vocabulary = Array.from({ length: 60_000 }, (_, at) => (at % 4 === 3 ? `${word()}_${word()}${at}` : word()));
  return Array.from({ length: count }, () => {
    const length = 40 + Math.floor(random() * 160);
    return Array.from({ length }, () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? "the").join(" ");
  });
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
