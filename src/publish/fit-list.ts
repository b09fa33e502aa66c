// A list that may not fit: what is left out is counted, never silently lost.

/**
 * As many items as fit, then one that counts the rest. Others are not rendered.
 *
 * @param items the most important first
 * @param write Markdown of one item, without a line end
 * @param maxLength UTF-16 units for everything; at least 100
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
  const kept = fitting(items.slice(0, most), write, maxLength - more(items.length).length, 1);
  const rest = items.length - kept.length;
  return rest === 0 ? kept : [...kept, more(rest)];
}

/** The first texts that fit together, each followed by so many line ends. */
export function fitting<T>(
  items: readonly T[],
  write: (item: T) => string,
  maxLength: number,
  lineEnds: number,
): readonly string[] {
  const kept: string[] = [];
  let left = maxLength;
  for (const item of items) {
    const text = write(item);
    left -= text.length + lineEnds;
    if (left < 0) break;
    kept.push(text);
  }
  return kept;
}

/** Lines folded under a title; nothing without lines. */
export function folded(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`<details><summary>${title}</summary>`, "", ...lines, "", "</details>"];
}
