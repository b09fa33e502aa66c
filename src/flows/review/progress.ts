// The summary while a model reads: it says so at once, and never stays in that state. It never stops a review.
import { LeaseLost } from "../../domain/errors.ts";
import type { ReviewJob } from "../../domain/job.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { ProgressNote, ProgressStore } from "../../ports/checks.ts";
import type { Reviews } from "../../ports.ts";
import { endProgress, showProgress } from "../../publish/publish.ts";
import { type SweptCheck, unended } from "./check-run.ts";
import type { ReviewPorts } from "./review-ports.ts";

/** Says that the pull request is read, where a model reads it. What GitHub refuses here it refuses again when the review is posted. */
export async function beginProgress(
  { key, installationId }: ReviewJob,
  { repo, pull, files, config }: PullRequestContext,
  { access, reviews, progress }: Pick<ReviewPorts, "access" | "reviews" | "progress">,
): Promise<void> {
  if (progress === undefined || access === null || config.review.model === "off") return;
  const { number, head } = pull;
  try {
    await progress.begun({ key, repo, number, installationId });
    await showProgress({ repo, number, headSha: head.sha, files: files.length }, reviews);
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
  }
}

/**
 * Ends what this or an earlier job of the pull request began; the sweep ends what GitHub does not take now.
 *
 * @param why the review was not posted, as the fragment of a sentence; null for one that was, whose summary says all
 */
export async function finishProgress(
  { key, repo, number }: Pick<ReviewJob, "key" | "repo" | "number">,
  why: string | null,
  { reviews, progress }: Pick<ReviewPorts, "reviews" | "progress">,
): Promise<void> {
  try {
    if (progress === undefined || !(await progress.isOpen(key))) return;
    if (why !== null) await endProgress(repo, number, why, reviews);
    await progress.ended(key);
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
  }
}

/** What became of a summary that no job would have ended. */
export type SweptProgress = Omit<SweptCheck, "id">;

/**
 * Ends summaries that say that a review is being written while no job writes it: it was parked, stopped, or its process died.
 *
 * @param reviewsOf access to one repository
 * @param refusing keys of pull requests that need not be tried now
 */
export async function sweepProgress(
  book: ProgressStore,
  reviewsOf: (installationId: number, repo: ProgressNote["repo"]) => Promise<Pick<Reviews, "endProgress">>,
  refusing: ReadonlySet<string>,
): Promise<readonly SweptProgress[]> {
  const swept: SweptProgress[] = [];
  for (const { key, repo, number, installationId } of await book.left()) {
    if (refusing.has(key)) continue;
    let outcome: SweptProgress["outcome"] = "ended";
    let error: unknown = null;
    try {
      const why = "the review ended without a result; the operator's log has the cause";
      await endProgress(repo, number, why, await reviewsOf(installationId, repo));
    } catch (refusal) {
      error = refusal;
      outcome = unended(refusal);
    }
    if (outcome === "ended" || outcome === "given up") await book.ended(key);
    swept.push({ key, installationId, outcome, error });
  }
  return swept;
}
