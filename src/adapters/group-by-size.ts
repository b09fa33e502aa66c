/**
 * Items in groups, in their order: each group as many as fit, at least one.
 *
 * @param sizeOf in the unit of `size`
 */
export function groupBySize<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  { size, count }: { readonly size: number; readonly count: number },
): readonly (readonly Item[])[] {
  const groups: Item[][] = [];
  let left = 0;
  for (const item of items) {
    const open = groups.at(-1);
    if (open === undefined || open.length >= count || sizeOf(item) > left) {
      groups.push([item]);
      left = size - sizeOf(item);
    } else {
      open.push(item);
      left -= sizeOf(item);
    }
  }
  return groups;
}
