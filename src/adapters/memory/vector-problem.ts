// What may not be stored or searched with: SQLite would take it, and rank it first.

/**
 * Why a vector is refused, or null when it is fine.
 *
 * @param dimension components that its embedding space has
 */
export function vectorProblem(vector: Float32Array, dimension: number): string | null {
  if (vector.length !== dimension) return `vector has ${vector.length} components, its space ${dimension}`;
  let squares = 0;
  // By index, here and wherever each vector is gone through: an iterator makes an object of each number.
  for (let at = 0; at < vector.length; at += 1) {
    const value = vector[at] ?? 0;
    if (!Number.isFinite(value)) return "vector has a component that is not a finite number";
    squares += value * value;
  }
  if (squares === 0) return "vector is all zero";
  return null;
}
