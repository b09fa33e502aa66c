// Candidates by their sign bits against the query itself: the bits of one side only are rounded.
import { type AgreementKernel, agreementKernel, agreementSlowly, type BitRow } from "./agreement-kernel.ts";

export interface BitCandidate extends BitRow {
  readonly id: number;
}

/**
 * The `wanted` candidates whose bits agree best with the query, each component weighing as much as the query has
 * of it, to a 32,767th of the largest. 300 of 1000 chosen so hold as many of the true 20 nearest as all 1000 do. In no order.
 *
 * @param query rotated and centred
 * @param kernel null for the way without WebAssembly: the same answer, several times as slowly
 */
export function rankByBits<Row extends BitCandidate>(
  query: Float32Array,
  candidates: readonly Row[],
  wanted: number,
  kernel: AgreementKernel | null = kernelFor(query.length),
): Row[] {
  if (candidates.length <= wanted) return [...candidates];
  const whole = inWholeNumbers(query);
  const scores = kernel?.scores(whole, candidates) ?? scoredSlowly(whole, candidates);
  const last = scores.toSorted()[scores.length - wanted] ?? 0;
  const better = candidates.filter((_, at) => (scores[at] ?? 0) > last);
  const ties = candidates.filter((_, at) => scores[at] === last).sort((one, other) => one.id - other.id);
  return better.concat(ties.slice(0, wanted - better.length));
}

function scoredSlowly(query: Int16Array, candidates: readonly BitCandidate[]): Int32Array {
  return Int32Array.from(candidates, ({ bytes, offset }) => agreementSlowly(query, bytes, offset));
}

/** In 16 bits, the largest component filling them: sums of whole numbers are the same in whatever order. */
function inWholeNumbers(query: Float32Array): Int16Array {
  let largest = 0;
  for (const value of query) largest = Math.max(largest, Math.abs(value));
  const whole = new Int16Array(query.length);
  for (let at = 0; at < query.length; at += 1) whole[at] = Math.round(((query[at] ?? 0) / (largest || 1)) * LARGEST);
  return whole;
}

const LARGEST = 32_767;
const kernels = new Map<number, AgreementKernel | null>();

/** Compiled once for each number of components, of which there is about one. */
function kernelFor(components: number): AgreementKernel | null {
  const known = kernels.get(components);
  if (known !== undefined) return known;
  const made = agreementKernel(components);
  kernels.set(components, made);
  return made;
}
