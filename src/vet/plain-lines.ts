// Markdown by others as the lines that a reader sees: without HTML comments and code blocks, and optionally without folded
// parts.
import { cutText } from "../domain/text/cut-text.ts";

/** Longer lines hold no sentence about a version. */
const LONGEST_LINE = 2_000;
const MAX_TEXT = 200_000;

/** Lines of at most 2,000 units from the first 200,000 units of a text. Linear in its length. */
export function plainLines(text: string, folds: "kept" | "left-out"): readonly string[] {
  const lines: string[] = [];
  let folded = 0;
  let fence: string | null = null;
  // An unclosed comment runs to the end of the text.
  const visible = text.slice(0, MAX_TEXT).replace(/<!--.*?(?:-->|$)/gs, "");
  for (const line of visible.split(/\r?\n/)) {
    const wasInside = fence !== null;
    fence = fenceAfter(line, fence);
    if (wasInside || fence !== null) continue;
    const depth = folded;
    for (const [, closes] of line.matchAll(/<(\/?)details/gi)) folded += closes === "" ? 1 : -1;
    folded = Math.max(0, folded);
    if (folds === "kept" || (depth === 0 && folded === 0)) lines.push(cutText(line, LONGEST_LINE));
  }
  return lines;
}

/** The fence of the code block that is open after this line, or null. */
function fenceAfter(line: string, open: string | null): string | null {
  const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line.slice(0, 200))?.[1] ?? null;
  if (open === null) return mark;
  return mark?.startsWith(open) === true ? null : open;
}
