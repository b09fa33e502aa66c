// Everything that a review would put on GitHub, and what must hold of it whoever wrote the words.
import { expect } from "vitest";
import type { Review } from "../../src/domain/review.ts";
import { renderComment } from "../../src/publish/render-comment.ts";
import { BODY_LIMIT, renderSummary } from "../../src/publish/render-summary.ts";
import { violations } from "./github-markdown.ts";

/** What Kodiai itself writes of HTML and addresses. */
export const OURS = {
  /** Of the summary's findings. */
  structures: ["table"],
  html: /^(?:<\/?sub>|<br>|<details><summary>[\w,: ()]+<\/summary>|<\/details>|<!-- kodiai:(?:summary|progress|finding [\w ]+|review [0-9a-f]{40}|proof [0-9a-f]{32}) -->)$/,
  links:
    /^https:\/\/(?:github\.com|127\.0\.0\.1:\d+|localhost:\d+)\/[\w.-]+\/[\w.-]+\/(?:(?:blob|commit)\/[0-9a-f]{40}|pull\/\d+)[\w./%?=#-]*$/,
};

/** Summary first, then each comment. */
export function posted(review: Review): readonly string[] {
  const comments = review.findings
    .filter(({ place }) => place === "inline" || place === "file")
    .map(({ finding, place }) => renderComment(review, finding, place === "file" ? "file" : "inline"));
  return [renderSummary(review, review.findings), ...comments];
}

/**
 * Nothing in it acts: no image, HTML, foreign link, mention, reference, order or second marker; and
 * none is too long.
 */
export function expectInert(bodies: readonly string[], structures: readonly string[] = []): void {
  for (const body of bodies) {
    expect(violations(body, { ...OURS, structures: [...OURS.structures, ...structures] })).toEqual([]);
    expect(body.length).toBeLessThanOrEqual(BODY_LIMIT);
    expect(body.isWellFormed()).toBe(true);
    const markers = body.match(/<!-- kodiai:(?:summary|finding [\w ]+) -->/g) ?? [];
    expect(markers.length).toBeLessThanOrEqual(1);
    const written = body.replace(/\n<!-- kodiai:proof [0-9a-f]{32} -->\s*$/, "").trimEnd();
    if (markers.length === 1) expect(written.endsWith(markers[0] ?? "")).toBe(true);
  }
}
