/**
 * The k best admitted rows with a score above 0, best first; ties are ordered by name.
 *
 * @param scores of each row, ≥ 0
 * @param admitted 1 for each row that may be chosen
 * @param names of the rows, unique, so that the order is total
 */
export function bestRows(
  scores: Float64Array,
  admitted: Uint8Array,
  names: readonly string[],
  k: number,
): readonly number[] {
  const before = (one: number, other: number) => {
    const more = (scores[one] ?? 0) - (scores[other] ?? 0);
    return more > 0 || (more === 0 && (names[one] ?? "") < (names[other] ?? ""));
  };
  const best: number[] = [];
  if (k < 1) return best;
  let least = 0;
  for (let row = 0; row < scores.length; row += 1) {
    const score = scores[row] ?? 0;
    // Most rows end here, so it precedes any call.
    if (score < least || score <= 0 || admitted[row] !== 1) continue;
    let [low, high] = [0, best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(row, best[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, row);
    if (best.length > k) best.pop();
    if (best.length === k) least = scores[best[k - 1] ?? 0] ?? 0;
  }
  return best;
}
