// Hunks as memory knows them: what of a hunk is put into words, and which hunks of many are worth
// it.
import type { Hunk } from "../src/domain/pull-request.ts";

/** The text of a hunk's added lines, in order. */
export function addedTexts(hunk: Hunk): readonly string[] {
  return hunk.lines.filter((line) => line.kind === "added").map((line) => line.text);
}

/**
 * A hunk in the form that is embedded and indexed: its place in one line, then what it adds.
 *
 * @param title the pull request's title
 * @param path the head path
 * @returns `TITLE | PATH | SECTION`, without the parts that are empty, and the added lines below it
 */
export function hunkText(title: string, path: string, hunk: Hunk): string {
  const where = [title, path, hunk.section].filter((part) => part !== "").join(" | ");
  return [where, ...addedTexts(hunk)].join("\n");
}

/**
 * The hunks that add the most lines, in their order.
 *
 * @param most how many to keep, 0 or more; of hunks that add equally many the earlier stays
 */
export function largestHunks<Candidate extends Hunk>(hunks: readonly Candidate[], most: number): readonly Candidate[] {
  const ranked = hunks
    .map((hunk, at) => ({ hunk, at, added: addedTexts(hunk).length }))
    .sort((a, b) => b.added - a.added || a.at - b.at);
  return ranked
    .slice(0, most)
    .sort((a, b) => a.at - b.at)
    .map(({ hunk }) => hunk);
}
