// What may not be stored or searched with: SQLite would take it, and rank it first.

/**
 * Why a vector is refused, or null when it is fine.
 *
 * @param dimension components that its embedding space has
 */
export function vectorProblem(vector: Float32Array, dimension: number): string | null {
  if (vector.length !== dimension) return `vector has ${vector.length} components, its space ${dimension}`;
  let squares = 0;
  for (const value of vector) {
    if (!Number.isFinite(value)) return "vector has a component that is not a finite number";
    squares += value * value;
  }
  if (squares === 0) return "vector is all zero";
  return null;
}
