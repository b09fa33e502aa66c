// What the summary says about earlier pushes: how much was read this time, and which earlier findings may be addressed.
import type { Addressed, Review } from "../domain/review.ts";
import { placeOf } from "./below.ts";
import { counted, fitList } from "./fit-list.ts";
import { commitLink, linkedCode, safeUrl } from "./permalink.ts";
import { findingTitle } from "./render-comment.ts";
import { sanitizeInline } from "./sanitize.ts";

/** One line; nothing for a first review. */
export function scopeLine({ scope, repo }: Review): readonly string[] {
  if (scope.kind === "full") {
    return scope.reason === null ? [] : [`Everything was read again: ${sanitizeInline(scope.reason, 200)}.`];
  }
  const since = linkedCode(scope.since.slice(0, 7), commitLink(repo, scope.since));
  return [`Changes since ${since} were read; the rest was read at earlier pushes.`];
}

/** Earlier findings that were not found again in code that changed. Their conversations stay open: a person decides. */
export function addressedLines(review: Review, room: number): readonly string[] {
  const { addressed } = review;
  if (addressed.length === 0) return [];
  const write = (one: Addressed) => `- ${place(review, one)} — ${sanitizeInline(one.reason, 120)}`;
  const shown = fitList(addressed, write, room, 50, (count) => `- and ${counted(count, "more finding")}`);
  return ["**May be addressed:**", "", ...shown];
}

/** Its line is of an earlier head, so the link goes to the comment and not to the code. */
function place(review: Review, { finding, url }: Addressed): string {
  const address = url === null ? null : safeUrl(review.repo, url);
  const title = findingTitle(finding);
  return address === null ? `${title} ${placeOf(review, { finding })}` : `${title} [comment](${address})`;
}
