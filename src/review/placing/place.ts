// Where findings are posted: on lines of the diff only, else on the file or in the summary, with
// the reason. Then orders them and limits how many get a comment of their own.
import { type Finding, SEVERITIES, sharedComment } from "../../domain/finding.ts";
import type { FileDiff } from "../../domain/pull-request.ts";
import type { PlacedFinding } from "../../domain/review.ts";
import { compareTexts } from "../../domain/text/compare-texts.ts";
import { counted } from "../../domain/text/counted.ts";

/**
 * Sorts findings and keeps at most `maxComments` as comments; the rest moves to the summary. The
 * most severe come first, whoever found them. Half of the comments are reserved for rules, as far
 * as they have findings: a noisy model does not crowd them out. Existing comments do not count, and
 * findings that share a comment count once.
 *
 * @param maxComments 0 or more; Infinity when nothing is posted
 * @returns the same findings: by severity, then confidence (highest first), path, line and id
 */
export function place(placed: readonly PlacedFinding[], maxComments: number): readonly PlacedFinding[] {
  const byRules = placed.filter((one) => wantsComment(one) && !isByModel(one)).length;
  const model = maxComments - Math.min(byRules, Math.ceil(maxComments / 2));
  const left = { inAll: maxComments, model };
  const commented = new Set<string>();
  const reasons = new Map<PlacedFinding, string>();
  const ordered = [...placed].sort((a, b) => compareFindings(a.finding, b.finding));
  for (const one of ordered) {
    if (!wantsComment(one)) continue;
    const shared = one.place === "inline" ? sharedComment(one.finding) : null;
    if (shared !== null && commented.has(shared)) continue;
    const isModel = isByModel(one);
    if (left.inAll <= 0 || (isModel && left.model <= 0))
      reasons.set(one, `over the limit of ${counted(maxComments, "comment")}`);
    else {
      left.inAll--;
      if (isModel) left.model--;
      if (shared !== null) commented.add(shared);
    }
  }
  return ordered.map((one) => {
    const reason = reasons.get(one);
    return reason === undefined ? one : { ...one, place: "summary", reason };
  });
}

/** Found by a model, or known from memory, rather than by a rule of ours or of another tool. */
function isByModel({ finding: { source } }: Pick<PlacedFinding, "finding">): boolean {
  return source === "model" || source === "memory";
}

function wantsComment({ place: where }: PlacedFinding): boolean {
  return where === "inline" || where === "file";
}

/** Paths compare by code unit: the order is the same on every machine. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    b.confidence - a.confidence ||
    compareTexts(a.path, b.path) ||
    a.startLine - b.startLine ||
    a.line - b.line ||
    compareTexts(a.id, b.id)
  );
}

const UNPROVEN = "neither an anchor nor a quote of the model proves a line";
const NOT_SHOWN = "GitHub shows no diff of the file and takes no comment on its lines";
const NO_LINE = "no line of the diff names what it is about";

/**
 * Decides how close to its lines each finding can be posted.
 * RIGHT lines are of the head, LEFT lines of the base, each with context; both ends must be in one
 * hunk. Otherwise the finding goes to its file, and to the summary when its path is not in the
 * diff.
 * @param files the reviewed files
 * @returns one placed finding for each, in the same order
 */
export function anchorFindings(findings: readonly Finding[], files: readonly FileDiff[]): readonly PlacedFinding[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const linesOf = new Map<FileDiff, ReturnType<typeof indexLines>>();
  return findings.map((finding) => {
    const file = byPath.get(finding.path);
    if (file === undefined) return { finding, place: "summary", reason: "the file is not part of the reviewed diff" };
    if (finding.locMethod === "none") {
      return {
        finding,
        place: "file",
        reason: isByModel({ finding }) ? UNPROVEN : NO_LINE,
      };
    }
    if (file.isRebuilt === true) return { finding, place: "file", reason: NOT_SHOWN };
    const lines = linesOf.get(file) ?? indexLines(file);
    linesOf.set(file, lines);
    const reason = misplaced(finding, file, lines);
    return { finding, place: reason === null ? "inline" : "file", reason };
  });
}

function misplaced(finding: Finding, file: FileDiff, lines: ReturnType<typeof indexLines>): string | null {
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

function indexLines(file: FileDiff) {
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
