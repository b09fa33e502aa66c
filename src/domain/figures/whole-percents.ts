/** Whole percentages of shares (0–1, in order): where the shares sum to 1, these sum to 100. */
export function wholePercents(shares: readonly number[]): readonly number[] {
  let sum = 0;
  return shares.map((share) => {
    const before = Math.round(sum * 100);
    sum += share;
    return Math.round(sum * 100) - before;
  });
}
