// Rotated vectors in less space: one byte a component for distances, one bit a component for choosing candidates.
import { type DotKernel, dotKernel } from "./dot-kernel.ts";
import { inWholeNumbers } from "./whole-numbers.ts";

/**
 * One signed byte a component, scaled so that the largest fills the range.
 *
 * The scale is each vector's own and is not kept: cosine does not depend on length. A fixed scale of 1 uses about ±10
 * of 127 levels in 1024 dimensions and costs 5 points of recall.
 *
 * @param rotated finite, not all zero
 */
export function toInt8(rotated: Float32Array): Int8Array {
  let largest = 0;
  for (const value of rotated) largest = Math.max(largest, Math.abs(value));
  const bytes = new Int8Array(rotated.length);
  for (let at = 0; at < rotated.length; at += 1) bytes[at] = Math.round(((rotated[at] ?? 0) / largest) * 127);
  return bytes;
}

/**
 * Sign bits after centring, 1 for ≥ 0: component i is bit i mod 8 of byte i div 8.
 *
 * @param mean what vectors of this space have in common; a sign that most of them share tells nothing. Null is zero.
 */
export function toBits(rotated: Float32Array, mean: Float32Array | null): Uint8Array {
  const bits = new Uint8Array(rotated.length / 8);
  const middle = mean ?? new Float32Array(rotated.length);
  for (let at = 0; at < rotated.length; at += 1) {
    if ((rotated[at] ?? 0) >= (middle[at] ?? 0)) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return bits;
}

/**
 * Cosine distance, 1 − cosine similarity, from one query to vectors in bytes: 0 (same direction) to 2 (opposite).
 *
 * @param query rotated, of any length but 0; taken in whole numbers, which moves a distance by .00001 at most (1,600 pairs of 64 to 3,072)
 * @returns the distance to the vector from `toInt8` whose components stand in `stored` from `offset`, as many as the
 *   query has
 */
export function cosineDistanceTo(
  query: Float32Array,
  kernel: DotKernel | null = kernelFor(query.length),
): (stored: Int8Array, offset: number) => number {
  const whole = inWholeNumbers(query);
  let queryLength = 0;
  for (let at = 0; at < whole.length; at += 1) queryLength += (whole[at] ?? 0) ** 2;
  const cosine = (dot: number, storedLength: number) =>
    Math.min(2, Math.max(0, 1 - dot / Math.sqrt(queryLength * storedLength)));
  if (kernel === null) {
    return (stored, offset) => cosine(...dotSlowly(whole, stored, offset));
  }
  return (stored, offset) => {
    const dot = kernel.dot(whole, stored, offset);
    return cosine(dot, kernel.squares());
  };
}

const kernels = new Map<number, DotKernel | null>();

/** Compiled once for each number of components, of which there is about one. */
function kernelFor(components: number): DotKernel | null {
  const known = kernels.get(components);
  if (known !== undefined) return known;
  const made = dotKernel(components);
  kernels.set(components, made);
  return made;
}

function dotSlowly(query: Int16Array, stored: Int8Array, offset: number): [dot: number, squares: number] {
  let dot = 0;
  let squares = 0;
  for (let at = 0; at < query.length; at += 1) {
    const other = stored[offset + at] ?? 0;
    dot += (query[at] ?? 0) * other;
    squares += other * other;
  }
  return [dot, squares];
}
