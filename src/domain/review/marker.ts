// Hidden markers tie what stands on GitHub to a finding, to the sticky summary and to a reviewed head.
// Both sides need one grammar: publish writes it, the GitHub adapter reads it (and believes only our own comments).
import type { CommentPlace } from "../command.ts";

/** Marks the one sticky summary of a pull request. */
export const SUMMARY_MARKER = "<!-- kodiai:summary -->";

const PROGRESS_MARKER = "<!-- kodiai:progress -->";

const FINDING = /<!-- kodiai:finding ([A-Za-z0-9_]{1,64}(?: [A-Za-z0-9_]{1,64})*) -->/g;
const REVIEW = /<!-- kodiai:review ([0-9a-f]{40,64}) -->/;

/**
 * The marker of a comment about one finding, or about several that say the same.
 *
 * @param ids of the findings, not empty; each of letters, digits and `_`, at most 64
 * @throws RangeError for any other id: a marker that cannot be read back would let a comment be posted twice
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

/** Marks the answer to one comment, by which it is known that it was given. */
export function answerMarker(place: CommentPlace, commentId: number): string {
  return `<!-- kodiai:answer ${place}_${commentId} -->`;
}

/**
 * The marker by which something of ours is known again when the answer to its writing was lost. Nobody else can make it.
 *
 * @param hex lower-case hex digits, at most 64
 */
export function proofMarker(hex: string): string {
  return `<!-- kodiai:proof ${hex} -->`;
}

/**
 * The findings a comment of ours is about, the one on its lines first: the last marker of the body counts, because we write
 * ours last. Empty when there is none.
 */
export function parseFindingMarker(body: string): readonly string[] {
  return [...body.matchAll(FINDING)].at(-1)?.[1]?.split(" ") ?? [];
}

/** The head that a review of ours speaks about, or null. */
export function parseReviewMarker(body: string): string | null {
  return REVIEW.exec(body)?.[1] ?? null;
}

/** True for the body of a sticky summary. */
export function hasSummaryMarker(body: string): boolean {
  return body.includes(SUMMARY_MARKER);
}

/** The summary with a line above it, in the place of an earlier one; null is a summary that is nothing else. */
export function withProgress(summary: string | null, line: string): string {
  return `${line}\n\n${PROGRESS_MARKER}\n\n${withoutProgress(summary ?? SUMMARY_MARKER)}`;
}

/** The summary without that line; the same where it has none. Text of others never holds the marker (see sanitize.ts). */
export function withoutProgress(summary: string): string {
  const at = summary.indexOf(PROGRESS_MARKER);
  return at === -1 ? summary : summary.slice(at + PROGRESS_MARKER.length).trimStart();
}
