import { ADMITTED, type SeenRows } from "../memory/row-mask.ts";

export interface RowsWithBits {
  /** 1 where a row is admitted and has bits. */
  readonly admitted: Uint8Array;
  /** How many are. */
  readonly count: number;
}

const remembered = new WeakMap<SeenRows, { readonly has: Uint8Array; readonly rows: RowsWithBits }>();

/**
 * Rows that may be told and can be compared, worked out once for each scope and filter.
 *
 * @param has 1 where a row has bits, as many as the scope and filter were asked about
 */
export function rowsWithBits(seen: SeenRows, has: Uint8Array): RowsWithBits {
  const known = remembered.get(seen);
  if (known?.has === has) return known.rows;
  const admitted = new Uint8Array(has.length);
  let count = 0;
  for (let row = 0; row < has.length; row += 1) {
    const admits = ((seen.mask[row] ?? 0) >> ADMITTED_SHIFT) & (has[row] ?? 0);
    admitted[row] = admits;
    count += admits;
  }
  remembered.set(seen, { has, rows: { admitted, count } });
  return { admitted, count };
}

const ADMITTED_SHIFT = Math.log2(ADMITTED);
