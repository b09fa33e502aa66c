// Hidden markers tie our comments on GitHub to a finding, to the sticky summary and to a reviewed
// head. One grammar for both sides: publish writes it, the GitHub adapter reads it (and trusts only
// our own comments).
import type { CommentPlace } from "../command.ts";

/** Marks the one sticky summary of a pull request. */
export const SUMMARY_MARKER = "<!-- kodiai:summary -->";

/** Earlier versions also announced a review in progress with it. */
const NOTICE_MARKER = "<!-- kodiai:progress -->";

const FINDING = /<!-- kodiai:finding ([A-Za-z0-9_]{1,64}(?: [A-Za-z0-9_]{1,64})*) -->/g;
const REVIEW = /<!-- kodiai:review ([0-9a-f]{40,64}) -->/;

/**
 * The marker of a comment about one finding, or about several with the same text.
 *
 * @param ids of the findings, not empty; each of letters, digits and `_`, at most 64
 * @throws RangeError for any other id: an unreadable marker would let a comment be posted twice
 */
export function findingMarker(ids: readonly string[]): string {
  if (ids.length === 0 || !ids.every((id) => /^[A-Za-z0-9_]{1,64}$/.test(id)))
    throw new RangeError("a finding's id has only letters, digits and _");
  return `<!-- kodiai:finding ${ids.join(" ")} -->`;
}

/**
 * The marker of a review of one head.
 *
 * @param headSha 40 to 64 lower-case hex digits
 * @throws RangeError for anything else
 */
export function reviewMarker(headSha: string): string {
  if (!/^[0-9a-f]{40,64}$/.test(headSha)) throw new RangeError("a head is 40 to 64 hex digits");
  return `<!-- kodiai:review ${headSha} -->`;
}

/** Marks the answer to one comment, so that it is not answered twice. */
export function answerMarker(place: CommentPlace, commentId: number): string {
  return `<!-- kodiai:answer ${place}_${commentId} -->`;
}

/**
 * Identifies our own write when GitHub's response to it was lost. No one else can forge it.
 *
 * @param hex lower-case hex digits, at most 64
 */
export function proofMarker(hex: string): string {
  return `<!-- kodiai:proof ${hex} -->`;
}

/** The findings of our comment, by its last marker, since ours is last. Empty without one. */
export function parseFindingMarker(body: string): readonly string[] {
  return [...body.matchAll(FINDING)].at(-1)?.[1]?.split(" ") ?? [];
}

/** A text of ours as people see it, without the lines that only its markers fill. */
export function withoutMarkers(body: string): string {
  return body.replace(/(?<!\n)\n*<!-- kodiai:[a-z]+(?: \w+)* -->/g, "");
}

/** The head of one of our reviews, or null. */
export function parseReviewMarker(body: string): string | null {
  return REVIEW.exec(body)?.[1] ?? null;
}

/** True for the body of a sticky summary. */
export function hasSummaryMarker(body: string): boolean {
  return body.includes(SUMMARY_MARKER);
}

/**
 * The summary with a line above it, replacing an earlier one; null is an empty summary. Text of
 * others never holds the marker (see sanitize.ts).
 */
export function withNotice(summary: string | null, line: string): string {
  const rest = (summary ?? SUMMARY_MARKER).split(NOTICE_MARKER).at(-1) ?? "";
  return `${line}\n\n${NOTICE_MARKER}\n\n${rest.trimStart()}`;
}
