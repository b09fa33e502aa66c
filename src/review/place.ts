// The order in which findings are told, and how many of them get a comment of their own.
import { type Finding, SEVERITIES, sharedComment } from "../domain/finding.ts";
import type { PlacedFinding } from "../domain/review.ts";

/**
 * Sorts findings and lets at most `maxComments` stand as comments, on lines or on files; the rest moves to the summary.
 * The most severe come first, so that of rules, as of the model, a critical finding never waits behind a milder one.
 * Half of the comments are kept for rules, as far as they have something to say: a model that cries wolf does not drown
 * what was found without it. Comments that already stand do not count, and findings that share a comment count once.
 *
 * @param maxComments 0 or more; Infinity where nothing is posted
 * @returns the same findings: by severity, then confidence (highest first), path, line and id
 */
export function place(placed: readonly PlacedFinding[], maxComments: number): readonly PlacedFinding[] {
  const byRules = placed.filter((one) => wantsComment(one) && one.finding.source === "rule").length;
  const left = { inAll: maxComments, model: maxComments - Math.min(byRules, Math.ceil(maxComments / 2)) };
  const said = new Set<string>();
  return [...placed]
    .sort((a, b) => compareFindings(a.finding, b.finding))
    .map((one) => {
      if (!wantsComment(one)) return one;
      const shared = one.place === "inline" ? sharedComment(one.finding) : null;
      if (shared !== null && said.has(shared)) return one;
      const isModel = one.finding.source !== "rule";
      if (left.inAll > 0 && (!isModel || left.model > 0)) {
        left.inAll--;
        if (isModel) left.model--;
        if (shared !== null) said.add(shared);
        return one;
      }
      const reason = `over the limit of ${maxComments} comment${maxComments === 1 ? "" : "s"}`;
      return { ...one, place: "summary", reason };
    });
}

function wantsComment({ place: where }: PlacedFinding): boolean {
  return where === "inline" || where === "file";
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
