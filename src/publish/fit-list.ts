// A list that may not fit: what is left out is counted, never silently lost.

/**
 * As many items as fit, then one that counts the rest. Items beyond are not rendered: a list may hold thousands.
 *
 * @param items the most important first
 * @param write Markdown of one item, without a line end
 * @param maxLength UTF-16 units for all items, their line ends and the closing line; at least 100
 * @param most the largest number of items
 * @param more the closing line for `count` items that did not fit; at most 80 units
 */
export function fitList<T>(
  items: readonly T[],
  write: (item: T) => string,
  maxLength: number,
  most: number,
  more: (count: number) => string = (count) => `- and ${count} more`,
): readonly string[] {
  const kept: string[] = [];
  let left = maxLength - more(items.length).length;
  for (const item of items) {
    if (kept.length === most) break;
    const text = write(item);
    if (text.length + 1 > left) break;
    kept.push(text);
    left -= text.length + 1;
  }
  const rest = items.length - kept.length;
  return rest === 0 ? kept : [...kept, more(rest)];
}

/** Lines folded under a title; nothing without lines. */
export function folded(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`<details><summary>${title}</summary>`, "", ...lines, "", "</details>"];
}
