// A list that may be longer than there is room: what does not fit is counted, never silently lost.

/**
 * As many items as fit, then one that counts the rest.
 *
 * @param items Markdown of each item, without a line end
 * @param room UTF-16 units for all items, their line ends and the closing line; at least 60
 * @param most items at most
 * @param more the closing line for `count` items that did not fit
 */
export function fitList(
  items: readonly string[],
  room: number,
  most: number,
  more: (count: number) => string = (count) => `- and ${count} more`,
): readonly string[] {
  const kept: string[] = [];
  let left = room - more(items.length).length;
  for (const item of items) {
    if (kept.length === most || item.length + 1 > left) break;
    kept.push(item);
    left -= item.length + 1;
  }
  const rest = items.length - kept.length;
  return rest === 0 ? kept : [...kept, more(rest)];
}

/** `1 finding`, `3 findings`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
