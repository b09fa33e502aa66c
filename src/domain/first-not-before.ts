/**
 * The index of the first item whose value is not below the given one; their number where there is
 * none.
 *
 * @param ordered by what `of` gives, ascending
 */
export function firstNotBefore<Item>(ordered: ArrayLike<Item>, of: (item: Item) => number, value: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (of(ordered[middle] as Item) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
