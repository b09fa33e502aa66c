// The memories of what a review said.
import type { MemoryRecord } from "../domain/memory.ts";
import type { PostedReview } from "../domain/review.ts";
import { fromFinding } from "./from-finding.ts";

/** What the memories of a review need that the review does not tell. */
export interface ReviewFacts {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Our account: `kodiai[bot]`; null on the command line. */
  readonly author: string | null;
}

/** The memories of what a review said: everything but what stood on the pull request before. */
export function recordsOfFindings(posted: PostedReview, facts: ReviewFacts): MemoryRecord[] {
  const { review, findings, reviewUrl, summaryUrl } = posted;
  const hunks = new Map((review.hunks ?? []).map(({ findingId, hunk }) => [findingId, hunk]));
  const languages = new Map(review.signals.files.map(({ path, language }) => [path, language]));
  return findings
    .filter(({ place }) => place !== "already-posted")
    .map(({ finding, place }) =>
      fromFinding(finding, {
        repo: review.repo,
        pull: review.number,
        headSha: review.headSha,
        url: place === "summary" ? summaryUrl : (reviewUrl ?? summaryUrl),
        at: facts.at,
        author: facts.author,
        language: languages.get(finding.path) ?? "unknown",
        hunk: hunks.get(finding.id) ?? null,
      }),
    );
}
