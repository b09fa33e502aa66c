// The configuration comes from the base, and its problems have lines of the base. The head's lines are known only when
// the pull request changes the file.
import { parseConfig } from "../config/parse-config.ts";
import { CONFIG_FILE } from "../config/read-yaml.ts";
import type { ConfigProblem } from "../config/repo-config.ts";
import type { FileDiff } from "../domain/pull-request.ts";

/**
 * The line of the configuration at the head for each problem's line of the base.
 *
 * @param files the change
 * @returns null for a problem of another file or without a line, for a line that was removed or changed, and for all
 * when the file is not part of the change
 */
export function configOnHead(
  problems: readonly ConfigProblem[],
  files: readonly FileDiff[],
): readonly (number | null)[] {
  const own = files.find(({ path, status }) => path === CONFIG_FILE && status !== "removed");
  return problems.map(({ file, line }) =>
    own === undefined || file !== CONFIG_FILE || line === null ? null : headLine(own, line),
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

/**
 * Problems of the configuration that the pull request proposes, at its lines of the head: it is not in effect during
 * the review, but they can be fixed before the merge and not after. Rule ids are not checked here.
 *
 * @returns null when the pull request does not change it or its text is unknown
 */
export function proposedProblems(headTexts: ReadonlyMap<string, string>): readonly ConfigProblem[] | null {
  const text = headTexts.get(CONFIG_FILE);
  return text === undefined ? null : parseConfig([{ file: CONFIG_FILE, text }]).problems;
}
