// The conclusion and text of a check run. People trust a "success" without reading it, so only a complete review gets one. It is
// computed from everything that was found, before anything that a person without write access can influence.

import type { FailOn } from "../config/repo-config.ts";
import { atLeast, type Finding } from "../domain/finding.ts";
import type { Unread } from "../domain/omissions.ts";
import { withoutMarkers } from "../domain/review/marker.ts";
import {
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
import { codeSpan, sanitizeInline } from "./sanitize.ts";

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
  declined: ReadonlySet<string> = new Set(),
): CheckEnd {
  const { conclusion, because } = conclude(review, findings, failOn, declined);
  const link = linkTo(review.repo, "summary", summaryUrl);
  return {
    conclusion,
    title: titleOf(review, findings),
    summary: link === null ? because : `${because} See the ${link} in the conversation.`,
    text: withoutMarkers(renderSummary(review, findings)),
  };
}

/** The end of a check run without a review. `because` is one sentence fragment. */
export function endWithoutReview(title: string, because: string): CheckEnd {
  const summary = `${sanitizeInline(publicErrorText(because, 300), 300) || "No reason is known"}.`;
  return { conclusion: "neutral", title, summary, text: "" };
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

/** Everything found, without what people with write access or the base branch's configuration set aside. */
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
  const { head, rest } = quietVerdict(review);
  return review.reviewed.length === 0 ? head : `${signal}. ${head}${rest}`;
}
