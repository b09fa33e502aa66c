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
  for (const line of withoutComments(text.slice(0, MAX_TEXT)).split(/\r?\n/)) {
    const wasInside = fence !== null;
    fence = fenceAfter(line, fence);
    if (wasInside || fence !== null) continue;
    const depth = folded;
    folded = Math.max(0, folded + count(line, "<details") - count(line, "</details"));
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

/** Removes everything between `<!--` and `-->`; an unclosed comment runs to the end of the text. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf("<!--", from);
    if (start === -1) break;
    kept.push(text.slice(from, start));
    const end = text.indexOf("-->", start + 4);
    if (end === -1) return kept.join("");
    from = end + 3;
  }
  return kept.join("") + text.slice(from);
}

function count(line: string, tag: string): number {
  return line.toLowerCase().split(tag).length - 1;
}
