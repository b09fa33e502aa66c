// A finding is placed only on lines of the diff. Otherwise it goes to the file or the summary, with the reason; it is
// never moved to another line.
import type { Finding } from "../../domain/finding.ts";
import type { FileDiff, Side } from "../../domain/pull-request.ts";
import type { PlacedFinding } from "../../domain/review.ts";

/** For each side and line of a file's diff, the index of its hunk. */
type Lines = Readonly<Record<Side, ReadonlyMap<number, number>>>;

const UNPROVEN = "neither an anchor nor a quote of the model proves a line";
const NOT_SHOWN = "GitHub shows no diff of the file and takes no comment on its lines";
const NO_LINE = "no line of the diff names what it is about";

/**
 * Decides how close to its lines each finding can be posted.
 *
 * RIGHT lines are added or context lines of the head, LEFT lines removed or context lines of the base; both ends must
 * be in one hunk. Otherwise the finding goes to its file, and to the summary when its path is not in the diff.
 *
 * @param files the reviewed files
 * @returns one placed finding for each, in the same order
 */
export function anchorFindings(findings: readonly Finding[], files: readonly FileDiff[]): readonly PlacedFinding[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const linesOf = new Map<FileDiff, Lines>();
  return findings.map((finding) => {
    const file = byPath.get(finding.path);
    if (file === undefined) return { finding, place: "summary", reason: "the file is not part of the reviewed diff" };
    if (finding.locMethod === "none") {
      return { finding, place: "file", reason: finding.source === "rule" ? NO_LINE : UNPROVEN };
    }
    if (file.isRebuilt === true) return { finding, place: "file", reason: NOT_SHOWN };
    const lines = linesOf.get(file) ?? indexLines(file);
    linesOf.set(file, lines);
    const reason = misplaced(finding, file, lines);
    return { finding, place: reason === null ? "inline" : "file", reason };
  });
}

function misplaced(finding: Finding, file: FileDiff, lines: Lines): string | null {
  const { startLine, line, side } = finding;
  if (!(Number.isInteger(startLine) && Number.isInteger(line) && 1 <= startLine && startLine <= line)) {
    return "the lines are not a range";
  }
  const first = lines[side].get(startLine);
  const last = lines[side].get(line);
  if (first === undefined || last === undefined) {
    const what = startLine === line ? "the line is" : "the lines are";
    return file.complete ? `${what} not part of the diff` : `${what} not in the part of the diff that was delivered`;
  }
  return first === last ? null : "the lines lie in different hunks of the diff";
}

function indexLines(file: FileDiff): Lines {
  const LEFT = new Map<number, number>();
  const RIGHT = new Map<number, number>();
  for (const [index, hunk] of file.hunks.entries()) {
    for (const { oldLine, newLine } of hunk.lines) {
      if (oldLine !== null) LEFT.set(oldLine, index);
      if (newLine !== null) RIGHT.set(newLine, index);
    }
  }
  return { LEFT, RIGHT };
}
