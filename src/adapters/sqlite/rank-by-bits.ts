// Candidates by their sign bits against the query itself: the bits of one side only are rounded.

/** Sign bits of one candidate: from `offset`, as many bytes as the query has components, by eight. */
export interface BitCandidate {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly offset: number;
}

/**
 * The `wanted` candidates whose bits agree best with the query, each component weighing as much as the query has
 * of it. 300 of 1000 chosen so hold as many of the true 20 nearest as all 1000 do. In no order.
 *
 * @param query rotated and centred
 */
export function rankByBits<Row extends BitCandidate>(
  query: Float32Array,
  candidates: readonly Row[],
  wanted: number,
): Row[] {
  if (candidates.length <= wanted) return [...candidates];
  const table = agreement(query);
  const scores = new Float64Array(candidates.length);
  const size = query.length / 8;
  // A loop: `from` with a function takes many times as long.
  for (const [at, { bytes, offset }] of candidates.entries()) scores[at] = score(table, bytes, offset, size);
  const last = scores.toSorted()[scores.length - wanted] ?? 0;
  const better = candidates.filter((_, at) => (scores[at] ?? 0) > last);
  const ties = candidates.filter((_, at) => scores[at] === last).sort((one, other) => one.id - other.id);
  return better.concat(ties.slice(0, wanted - better.length));
}

function score(table: Float64Array, bytes: Uint8Array, offset: number, size: number): number {
  let sum = 0;
  for (let at = 0; at < size; at += 1) {
    const byte = bytes[offset + at] ?? 0;
    sum += (table[at * 32 + (byte & 15)] ?? 0) + (table[at * 32 + 16 + (byte >> 4)] ?? 0);
  }
  return sum;
}

/** For each half byte and each of its 16 values, the sum of the query's components where the bit is 1: fits the cache. */
function agreement(query: Float32Array): Float64Array {
  const table = new Float64Array(query.length * 4);
  for (let half = 0; half < query.length / 4; half += 1) {
    for (let value = 1; value < 16; value += 1) {
      const lowest = 31 - Math.clz32(value & -value);
      table[half * 16 + value] = (table[half * 16 + (value & (value - 1))] ?? 0) + (query[half * 4 + lowest] ?? 0);
    }
  }
  return table;
}
