// Hunks end at the line that was spoken about: what is cut off is their beginning.
import { cutText } from "../domain/cut-text.ts";

/** As every stored piece of code. */
export const MAX_HUNK = 4_000;
const CUT = "…";

/**
 * A hunk of at most 4,000 characters: its `@@` line, and as many whole lines from its end as fit. A last line that
 * does not fit by itself is cut at its end.
 */
export function cutHunk(hunk: string): string {
  if (hunk.length <= MAX_HUNK) return hunk;
  const lineEnd = hunk.indexOf("\n");
  const header = hunk.startsWith("@@") && lineEnd !== -1 && lineEnd <= 300 ? `${hunk.slice(0, lineEnd)}\n` : "";
  const room = MAX_HUNK - header.length - CUT.length - 1;
  const newline = hunk.indexOf("\n", hunk.length - room - 1);
  const tail =
    newline === -1 || newline === hunk.length - 1
      ? cutText(hunk.slice(hunk.lastIndexOf("\n", hunk.length - 2) + 1), room)
      : hunk.slice(newline + 1);
  return `${header}${CUT}\n${tail}`.toWellFormed();
}
