// Orders findings and limits how many get a comment of their own.

import { type Finding, SEVERITIES, sharedComment } from "../../domain/finding.ts";
import type { PlacedFinding } from "../../domain/review.ts";
import { compareTexts } from "../../domain/text/compare-texts.ts";
import { counted } from "../../domain/text/counted.ts";

/**
 * Sorts findings and keeps at most `maxComments` as comments, on lines or on files; the rest moves to the summary. The
 * most severe come first, for rules as for the model, so that a critical finding never waits behind a milder one. Half
 * of the comments are reserved for rules, as far as they have findings, so that a noisy model does not crowd them out.
 * Existing comments do not count, and findings that share a comment count once.
 *
 * @param maxComments 0 or more; Infinity when nothing is posted
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
      const reason = `over the limit of ${counted(maxComments, "comment")}`;
      return { ...one, place: "summary", reason };
    });
}

function wantsComment({ place: where }: PlacedFinding): boolean {
  return where === "inline" || where === "file";
}

/** Negative when `a` comes before `b`. Paths compare by code unit, so that the order is the same on every machine. */
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
