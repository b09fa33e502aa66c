// The conclusion and text of a check run. People trust a "success" unread: only a complete review
// gets one. Computed from everything found, before people without write access can influence it.

import type { FailOn } from "../config/repo-config.ts";
import { atLeast, type Finding, type Severity } from "../domain/finding.ts";
import type { Unread } from "../domain/omissions.ts";
import { withoutMarkers } from "../domain/review/marker.ts";
import {
  type CheckAnnotation,
  type CheckEnd,
  isUnread,
  mergeSignal,
  type PlacedFinding,
  quietVerdict,
  type Review,
} from "../domain/review.ts";
import { counted, listed } from "../domain/text/counted.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";
import { linkTo } from "./permalink.ts";
import { renderSummary } from "./render-summary.ts";
import { codeSpan, sanitizeBlock, sanitizeInline } from "./sanitize.ts";

/** Four requests' worth: a check that takes minutes to write is of no use. */
const MAX_ANNOTATIONS = 200;

const LEVELS: Readonly<Record<Severity, CheckAnnotation["level"]>> = {
  critical: "failure",
  major: "failure",
  medium: "warning",
  minor: "notice",
};

/**
 * The end of a check run whose review was posted.
 *
 * @param findings as GitHub has them
 * @param declined ids of findings that people with write access decline now
 */
export function reviewEnd(
  review: Review,
  findings: readonly PlacedFinding[],
  summaryUrl: string | null,
  failOn: FailOn,
  declined: ReadonlySet<string>,
): CheckEnd {
  const { conclusion, because } = conclude(review, findings, failOn, declined);
  const link = linkTo(review.repo, "summary", summaryUrl);
  return {
    conclusion,
    title: titleOf(review, findings),
    summary: link === null ? because : `${because} See the ${link} in the conversation.`,
    text: withoutMarkers(renderSummary(review, findings)),
    annotations: annotationsOf(review, findings),
  };
}

/** The end of a check run without a review. `because` is one sentence fragment. */
export function endWithoutReview(title: string, because: string): CheckEnd {
  const summary = `${sanitizeInline(publicErrorText(because, 300), 300) || "No reason is known"}.`;
  return { conclusion: "neutral", title, summary, text: "", annotations: [] };
}

function conclude(
  review: Review,
  findings: readonly PlacedFinding[],
  failOn: FailOn,
  declined: ReadonlySet<string>,
): Pick<CheckEnd, "conclusion"> & { readonly because: string } {
  const gap = gapOf(review);
  const incomplete = gap === null ? "" : ` The review is **incomplete**: ${gap}.`;
  if (failOn === "never") return { conclusion: "neutral", because: `This check informs and never fails.${incomplete}` };
  const failing = standing(review, findings, declined).filter(({ severity }) => atLeast(severity, failOn)).length;
  const unread = review.unread.length === 0 ? "" : ` ${unreadText(review.unread)}`;
  if (failing > 0) {
    const what = `${counted(failing, "finding")} of severity ${failOn}${failOn === "critical" ? "" : " or worse"}`;
    return { conclusion: "failure", because: `${what}.${incomplete}${unread}` };
  }
  if (unread !== "") return { conclusion: "failure", because: unread.trim() };
  if (gap !== null) return { conclusion: "neutral", because: `Nothing at ${failOn} was found.${incomplete}` };
  const least = failOn === "critical" ? failOn : `${failOn} or worse`;
  const who = review.coverage === null ? "No model read the change" : "The review is complete";
  return { conclusion: "success", because: `${who}, and no finding is ${least}.` };
}

/** All but what people with write access or the base branch's configuration set aside. */
function standing(
  { heldBack }: Review,
  findings: readonly PlacedFinding[],
  declined: ReadonlySet<string>,
): readonly Finding[] {
  const held = heldBack.filter(({ heldBy }) => heldBy !== undefined);
  const all = [...findings, ...held].map(({ finding }) => finding);
  return all.filter(({ id }) => !declined.has(id));
}

const UNREAD_SHOWN = 10;

/** The files, and what excludes each: a key of the configuration, or a limit. */
function unreadText(unread: readonly Unread[]): string {
  const shown = listed(unread, UNREAD_SHOWN, ({ path, reason }) => {
    const why = codeSpan(publicErrorText(reason), 200);
    return path === null ? why : `${codeSpan(path, 120)} (${why})`;
  });
  const how =
    "The base branch can mark generated and vendored files in `.gitattributes`; `pathFilters` and `review.budget` decide about others.";
  return `Source of this change was not wholly read: ${shown}. ${how}`;
}

function gapOf({ degraded, coverage, reviewed }: Review): string | null {
  if (reviewed.length === 0) return "no file was reviewed";
  const parts = [...new Set(degraded.map(({ part }) => part))];
  if (parts.length > 0) return `degraded: ${sanitizeInline(parts.join(", "), 200)}`;
  const unread = (coverage?.files ?? []).filter(isUnread).length;
  return unread === 0 ? null : `${counted(unread, "file")} not wholly read by the model`;
}

function titleOf(review: Review, findings: readonly PlacedFinding[]): string {
  const signal = mergeSignal(review, findings);
  if (findings.length > 0) return signal;
  const { head, rest, held } = quietVerdict(review);
  return review.reviewed.length === 0 ? head : `${signal}. ${head}${rest}${held}`;
}

/** Findings with lines at the head, then problems of the proposed configuration. */
function annotationsOf(review: Review, findings: readonly PlacedFinding[]): readonly CheckAnnotation[] {
  const placed = findings
    .map(({ finding }) => finding)
    .filter(({ side, locMethod }) => side === "RIGHT" && locMethod !== "none")
    .map(
      ({ path, startLine, line, severity, title, body }): CheckAnnotation => ({
        path,
        startLine,
        endLine: line,
        level: LEVELS[severity],
        title: sanitizeInline(title, 120) || "(no title)",
        message: sanitizeBlock(body, 1000) || sanitizeInline(title, 200) || "(no text)",
      }),
    );
  // Problems in force have lines of the base; the file at the head may have these proposed ones.
  const problems = review.proposedProblems.flatMap(({ file, severity, message, line }): readonly CheckAnnotation[] => {
    if (line === null) return [];
    const level = severity === "error" ? "warning" : "notice";
    const title = `Configuration ${severity}`;
    const text = sanitizeInline(message, 500) || "(no text)";
    return [{ path: file, startLine: line, endLine: line, level, title, message: text }];
  });
  return [...placed, ...problems].slice(0, MAX_ANNOTATIONS);
}
