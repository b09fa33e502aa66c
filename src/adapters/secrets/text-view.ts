// A decoded view of a text, with the original position of each of its characters.

/** For each UTF-16 unit of `text` its range of the original, end exclusive; null: they are identical. */
export interface TextView {
  readonly text: string;
  readonly from: { readonly starts: Int32Array; readonly ends: Int32Array } | null;
}

/** `from` and `until` in the view; replaced by `put` characters, or kept if that is -1. */
type Stretch = readonly [from: number, until: number, put: number];

/**
 * The view with each match replaced by the result of `replaced`; a character of the replacement maps to the whole match.
 *
 * @param pattern global
 * @returns the same view without a match
 */
export function rewritten(view: TextView, pattern: RegExp, replaced: (match: RegExpExecArray) => string): TextView {
  const parts: string[] = [];
  const stretches: Stretch[] = [];
  let at = 0;
  for (const match of view.text.matchAll(pattern)) {
    const put = replaced(match);
    parts.push(view.text.slice(at, match.index), put);
    stretches.push([at, match.index, -1]);
    at = match.index + match[0].length;
    stretches.push([match.index, at, put.length]);
  }
  if (at === 0) return view;
  parts.push(view.text.slice(at));
  stretches.push([at, view.text.length, -1]);
  const text = parts.join("");
  return { text, from: mapped(view, stretches, text.length) };
}

function mapped(view: TextView, stretches: readonly Stretch[], length: number): NonNullable<TextView["from"]> {
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  let at = 0;
  for (const [from, until, put] of stretches) {
    for (let kept = from; put === -1 && kept < until; kept++, at++) {
      starts[at] = view.from?.starts[kept] ?? kept;
      ends[at] = view.from?.ends[kept] ?? kept + 1;
    }
    if (put <= 0) continue;
    const { start, end } = sourceOf(view, from, until);
    starts.fill(start, at, at + put);
    ends.fill(end, at, at + put);
    at += put;
  }
  return { starts, ends };
}

/** The view reversed. */
export function reversed({ text, from }: TextView): TextView {
  const { length } = text;
  const starts = from?.starts.slice() ?? Int32Array.from({ length }, (_, at) => at);
  const ends = from?.ends.slice() ?? Int32Array.from({ length }, (_, at) => at + 1);
  return { text: backwards(text), from: { starts: starts.reverse(), ends: ends.reverse() } };
}

/** Reverses UTF-16 units, which splits surrogate pairs. */
export function backwards(text: string): string {
  let turned = "";
  for (let at = text.length - 1; at >= 0; at--) turned += text.charAt(at);
  return turned;
}

/** Rotates each ASCII letter by thirteen. */
export function rotated(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => {
    const code = letter.charCodeAt(0);
    return String.fromCharCode((code & 31) > 13 ? code - 13 : code + 13);
  });
}

/** The range of the original for a range of a view; `from` < `until`. */
export function sourceOf(
  view: TextView,
  from: number,
  until: number,
): { readonly start: number; readonly end: number } {
  const startOf = (at: number) => view.from?.starts[at] ?? at;
  const endOf = (at: number) => view.from?.ends[at] ?? at + 1;
  return { start: Math.min(startOf(from), startOf(until - 1)), end: Math.max(endOf(from), endOf(until - 1)) };
}
