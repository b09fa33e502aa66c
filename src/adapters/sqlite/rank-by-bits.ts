// Candidates by their sign bits against the query itself: the bits of one side only are rounded.
import { nthSmallest } from "../memory/nth-smallest.ts";
import {
  type AgreementKernel,
  agreementKernel,
  agreementSlowly,
  agreementTables,
  type ScatteredRows,
} from "./agreement-kernel.ts";

export interface BitCandidates extends ScatteredRows {
  /** Among equals the smaller id is chosen. */
  readonly ids: Float64Array;
}

/**
 * The `wanted` candidates whose bits agree best with the query, each component weighing as much as the query has
 * of it, in the steps of `agreementTables`. 300 of 1000 chosen so hold as many of the true 20 nearest as all 1000 do.
 *
 * @param query rotated and centred
 * @param kernel null for the way without WebAssembly: the same answer, several times as slowly
 * @returns their places among the candidates, in no order
 */
export function rankByBits(
  query: Float32Array,
  candidates: BitCandidates,
  wanted: number,
  kernel: AgreementKernel | null = kernelFor(query.length),
): number[] {
  const { ids } = candidates;
  if (ids.length <= wanted) return Array.from(ids, (_, at) => at);
  const tables = agreementTables(query);
  const scores = kernel?.scores(tables, candidates) ?? scoredSlowly(tables, candidates);
  const last = nthSmallest(scores, scores.length - wanted);
  const chosen: number[] = [];
  const ties: number[] = [];
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score > last) chosen.push(at);
    else if (score === last) ties.push(at);
  }
  ties.sort((one, other) => (ids[one] ?? 0) - (ids[other] ?? 0));
  return chosen.concat(ties.slice(0, wanted - chosen.length));
}

function scoredSlowly(tables: Uint8Array, { bytes, in: lies, offsets }: BitCandidates): Uint16Array {
  return Uint16Array.from(offsets, (offset, at) => agreementSlowly(tables, bytes[lies[at] ?? 0] ?? NOTHING, offset));
}

const NOTHING = new Uint8Array();

const kernels = new Map<number, AgreementKernel | null>();

/** Compiled once for each number of components, of which there is about one. */
function kernelFor(components: number): AgreementKernel | null {
  const known = kernels.get(components);
  if (known !== undefined) return known;
  const made = agreementKernel(components);
  kernels.set(components, made);
  return made;
}
