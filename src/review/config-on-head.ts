// The configuration comes from the base, and its problems have lines of the base. The head's lines are known only when
// the pull request changes the file.
import { parseConfig } from "../config/parse-config.ts";
import type { ConfigProblem } from "../config/repo-config.ts";
import type { FileDiff } from "../domain/pull-request.ts";

/**
 * The line of `path` at the head for each problem's line of the base.
 *
 * @param file the diff of `path`, if the pull request changes it
 * @returns null for a problem of another file or without a line, for a line that was removed or changed, and for all
 * when the file is not part of the change
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

/** A line outside all hunks moves by the lines that the hunks before it added or removed. */
function headLine({ hunks, complete }: FileDiff, oldLine: number): number | null {
  if (!complete) return null;
  let moved = 0;
  for (const { oldStart, oldLines, newLines, lines } of hunks) {
    // For a hunk without old lines, git names the line before it.
    const first = oldLines === 0 ? oldStart + 1 : oldStart;
    if (oldLine < first) break;
    if (oldLine < first + oldLines) return lines.find((line) => line.oldLine === oldLine)?.newLine ?? null;
    moved += newLines - oldLines;
  }
  return oldLine + moved;
}

// The configuration that a pull request proposes is not in effect during its review, but its problems can be fixed
// before the merge and not after.

/**
 * Problems of the proposed file, at its lines of the head. Rule ids are not checked here.
 *
 * @param text the file at the head; undefined when the pull request does not change it or its text is unknown
 * @returns null for undefined
 */
export function proposedProblems(path: string, text: string | undefined): readonly ConfigProblem[] | null {
  return text === undefined ? null : parseConfig([{ file: path, text }]).problems;
}
