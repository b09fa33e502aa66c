// The configuration is read at the base, and its problems are told at the base's lines. Beside the head's lines they can be
// shown only where the pull request carries the file along.
import { parseConfig } from "../config/parse-config.ts";
import type { ConfigProblem } from "../config/repo-config.ts";
import type { FileDiff } from "../domain/pull-request.ts";

/**
 * For each problem the line of `path` at the head that is the problem's line of the base.
 *
 * @param file the diff of `path`, if the pull request changes it
 * @returns null for a problem of another file or without a line, for a line that was removed or changed, and for all
 *   when the file is not part of the change
 */
export function configOnHead(
  problems: readonly ConfigProblem[],
  path: string,
  file: FileDiff | undefined,
): readonly (number | null)[] {
  return problems.map((problem) =>
    file === undefined || problem.file !== path || problem.line === null || file.status === "removed"
      ? null
      : headLine(file, problem.line),
  );
}

/** A line outside all hunks moves by what the hunks before it added or took away. */
function headLine({ hunks, complete }: FileDiff, oldLine: number): number | null {
  if (!complete) return null;
  let moved = 0;
  for (const { oldStart, oldLines, newLines, lines } of hunks) {
    // Of a hunk without old lines, git names the line before it.
    const first = oldLines === 0 ? oldStart + 1 : oldStart;
    if (oldLine < first) break;
    if (oldLine < first + oldLines) return lines.find((line) => line.oldLine === oldLine)?.newLine ?? null;
    moved += newLines - oldLines;
  }
  return oldLine + moved;
}

// The configuration that a pull request proposes is not in force while it is reviewed, but what is wrong with it can be
// fixed before the merge and not after.

/**
 * What is wrong with the file as the pull request leaves it, at its lines of the head. Rule ids are not known here.
 *
 * @param text the file at the head; undefined where the pull request does not change it or its text is not known
 * @returns null for undefined
 */
export function proposedProblems(path: string, text: string | undefined): readonly ConfigProblem[] | null {
  return text === undefined ? null : parseConfig([{ file: path, text }]).problems;
}
