// Nearest by sign bits: one pass over bits in memory, exact, any number of candidates at the same price.

/** Rows of sign bits, one after another, `words` 32-bit words each, and whether a row may be chosen. */
export interface BitRows {
  readonly bits: Uint32Array;
  readonly words: number;
  /** Among equals the smaller id is chosen. */
  readonly ids: Float64Array;
  readonly admitted: (row: number) => boolean;
}

/** A row of one of the parts. */
export interface ChosenRow<Part> {
  readonly part: Part;
  readonly row: number;
}

/**
 * The `wanted` rows with the smallest Hamming distance to the query over all parts; among equals the smaller
 * ids. Not in order.
 */
export function nearestBits<Part extends BitRows>(
  parts: readonly Part[],
  query: Uint32Array,
  wanted: number,
): ChosenRow<Part>[] {
  const histogram = new Uint32Array(query.length * 32 + 1);
  const distances = parts.map((part) => measure(part, query, histogram));
  const { limit, below } = cutOff(histogram, wanted);
  const chosen: ChosenRow<Part>[] = [];
  const ties: ChosenRow<Part>[] = [];
  for (const [at, part] of parts.entries()) {
    distances[at]?.forEach((distance, row) => {
      if (distance < limit) chosen.push({ part, row });
      else if (distance === limit) ties.push({ part, row });
    });
  }
  const id = ({ part, row }: ChosenRow<Part>) => part.ids[row] ?? 0;
  ties.sort((one, other) => id(one) - id(other));
  return chosen.concat(ties.slice(0, wanted - below));
}

/** The distance of the last row wanted, and how many rows are nearer than that. */
function cutOff(histogram: Uint32Array, wanted: number): { readonly limit: number; readonly below: number } {
  let below = 0;
  for (const [limit, count] of histogram.entries()) {
    if (below + count >= wanted) return { limit, below };
    below += count;
  }
  return { limit: histogram.length, below };
}

const NOT_ADMITTED = 65_535;

function measure(part: BitRows, query: Uint32Array, histogram: Uint32Array): Uint16Array {
  const { bits, words } = part;
  const distances = new Uint16Array(part.ids.length).fill(NOT_ADMITTED);
  for (let row = 0; row < distances.length; row += 1) {
    if (!part.admitted(row)) continue;
    const start = row * words;
    let distance = 0;
    for (let at = 0; at < words; at += 1) {
      let x = (bits[start + at] ?? 0) ^ (query[at] ?? 0);
      // `| 0` keeps it a 32-bit integer for the compiler.
      x = (x - ((x >>> 1) & 0x55555555)) | 0;
      x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
      distance += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    distances[row] = distance;
    histogram[distance] = (histogram[distance] ?? 0) + 1;
  }
  return distances;
}
