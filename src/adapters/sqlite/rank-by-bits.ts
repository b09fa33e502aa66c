// Candidates by their sign bits against the query itself: the bits of one side only are rounded.

/** Sign bits of one candidate: from `offset`, as many bytes as the query has components, by eight. */
export interface BitCandidate {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly offset: number;
}

/**
 * The `wanted` candidates whose bits agree best with the query, each component weighing as much as the query has
 * of it. 300 of 1000 chosen so hold as many of the true 20 nearest as all 1000 do.
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
  const bytes = query.length / 8;
  const scored = candidates.map((row) => {
    const { bytes: from, offset } = row;
    let score = 0;
    for (let at = 0; at < bytes; at += 1) score += table[at * 256 + (from[offset + at] ?? 0)] ?? 0;
    return { row, score };
  });
  scored.sort((one, other) => other.score - one.score || one.row.id - other.row.id);
  return scored.slice(0, wanted).map(({ row }) => row);
}

/** For each byte position and each of its 256 values, the sum of the query's components where the bit is 1. */
function agreement(query: Float32Array): Float64Array {
  const table = new Float64Array((query.length / 8) * 256);
  for (let byte = 0; byte < query.length / 8; byte += 1) {
    for (let value = 1; value < 256; value += 1) {
      const lowest = 31 - Math.clz32(value & -value);
      table[byte * 256 + value] = (table[byte * 256 + (value & (value - 1))] ?? 0) + (query[byte * 8 + lowest] ?? 0);
    }
  }
  return table;
}
