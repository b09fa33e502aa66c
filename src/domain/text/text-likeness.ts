// Similarity of two texts, for evaluating search results. It shares no code with the ranker on
// purpose: a yardstick must not be made of what it measures.

/** Words with their weights, of unit length; empty for a text without words. */
export type TextVector = ReadonlyMap<string, number>;

/** Words read of one text. */
const MOST_WORDS = 20_000;

/**
 * Term frequency times inverse document frequency, 1 + ln((1 + texts) / (1 + texts with the word)),
 * unit length: G. Salton and C. Buckley, "Term-weighting approaches in automatic text retrieval"
 * (1988), smoothed as scikit-learn does by default.
 *
 * @param texts all texts among which a word is rare or common
 * @returns a text's vector; the same text gives the same vector
 */
export function textVectors(texts: Iterable<string>): (text: string) => TextVector {
  const found = new Map<string, number>();
  let count = 0;
  for (const text of texts) {
    count += 1;
    for (const word of new Set(words(text))) found.set(word, (found.get(word) ?? 0) + 1);
  }
  const rarity = (word: string) => 1 + Math.log((1 + count) / (1 + (found.get(word) ?? 0)));
  return (text) => {
    const counts = new Map<string, number>();
    for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const weights = [...counts].map(([word, times]) => [word, times * rarity(word)] as const);
    const length = Math.hypot(...weights.map(([, weight]) => weight));
    return new Map(length === 0 ? [] : weights.map(([word, weight]) => [word, weight / length] as const));
  };
}

/** Cosine of two vectors, 0–1; 0 when one is empty. */
export function cosine(a: TextVector, b: TextVector): number {
  const [less, more] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [word, weight] of less) sum += weight * (more.get(word) ?? 0);
  return sum;
}

/** Two or more letters, digits or underscores, in lower case. */
function words(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []).slice(0, MOST_WORDS);
}
