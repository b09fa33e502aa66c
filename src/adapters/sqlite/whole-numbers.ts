// A query in whole numbers: their sums of products are the same in whatever order, and eight are multiplied at a time.

/** The highest of 16 bits. */
const HIGHEST = 32_767;

/**
 * Components in whole numbers, the largest filling the range: what is lost is a 32,767th of the largest, and more beyond 2,048
 * components, so that their products with as many bytes, a quarter of them added up, fit into 32 bits.
 */
export function inWholeNumbers(query: Float32Array): Int16Array {
  const highest = Math.min(HIGHEST, Math.floor((2 ** 31 - 1) / (128 * Math.max(1, query.length / 4))));
  let largest = 0;
  for (let at = 0; at < query.length; at += 1) largest = Math.max(largest, Math.abs(query[at] ?? 0));
  const whole = new Int16Array(query.length);
  for (let at = 0; at < query.length; at += 1) whole[at] = Math.round(((query[at] ?? 0) / (largest || 1)) * highest);
  return whole;
}
