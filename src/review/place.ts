// The order in which findings are told, and how many of them get a comment of their own.
import { type Finding, SEVERITIES } from "../domain/finding.ts";
import type { PlacedFinding } from "../domain/review.ts";

/**
 * Sorts findings and lets at most `maxComments` stand as comments, on lines or on files; the rest moves to the summary.
 * The most severe come first, so a critical finding never waits behind a milder one. Comments that already stand do not
 * count.
 *
 * @param maxComments 0–20
 * @returns the same findings: by severity, then confidence (highest first), path, line and id
 */
export function place(placed: readonly PlacedFinding[], maxComments: number): readonly PlacedFinding[] {
  let comments = 0;
  return [...placed]
    .sort((a, b) => compareFindings(a.finding, b.finding))
    .map((one) => {
      if (one.place !== "inline" && one.place !== "file") return one;
      comments++;
      if (comments <= maxComments) return one;
      return {
        ...one,
        place: "summary",
        reason: `over the limit of ${maxComments} comment${maxComments === 1 ? "" : "s"}`,
      };
    });
}

/** Negative when `a` is told before `b`. Paths compare by code unit, so that every machine tells the same order. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    b.confidence - a.confidence ||
    compareText(a.path, b.path) ||
    a.startLine - b.startLine ||
    a.line - b.line ||
    compareText(a.id, b.id)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
