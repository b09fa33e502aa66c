// Writes to a pull request on GitHub: comments only.
import { RequestError } from "@octokit/request-error";
import type { Repo } from "../../domain/job.ts";
import { parseFindingMarker } from "../../domain/marker.ts";
import { CommentRefused, type CommentToPost, type Reviews } from "../../ports.ts";
import type { GitHub } from "./clients.ts";
import { translated } from "./translate-error.ts";

/** The writing port over one repository's token. `botLogin` is our own account, such as `kodiai[bot]`. */
export function githubReviews(github: GitHub, botLogin: string): Reviews {
  return {
    head: (repo, number) =>
      translated(async () => {
        const { data } = await github.rest.pulls.get(at(repo, number));
        return { sha: data.head.sha, state: data.state, locked: data.locked };
      }),
    postedFindings: (repo, number) => translated(() => postedFindings(github, repo, number, botLogin)),
    postReview: (repo, number, headSha, body, comments) =>
      translated(() => postReview(github, repo, number, headSha, body, comments, botLogin)),
    postFileComment: (repo, number, headSha, path, body) =>
      translated(async () => {
        const { data } = await placing(() =>
          github.rest.pulls.createReviewComment({
            ...at(repo, number),
            commit_id: headSha,
            path,
            body,
            subject_type: "file",
          }),
        );
        return { url: data.html_url };
      }),
    putSummary: (repo, number, marker, body) =>
      translated(() => putSummary(github, repo, number, marker, body, botLogin)),
  };
}

const at = (repo: Repo, number: number) => ({ owner: repo.owner, repo: repo.name, pull_number: number });

async function postReview(
  github: GitHub,
  repo: Repo,
  number: number,
  headSha: string,
  body: string,
  comments: readonly CommentToPost[],
  botLogin: string,
): Promise<{ url: string }> {
  await dropPendingReview(github, repo, number, botLogin);
  const { data } = await placing(() =>
    github.rest.pulls.createReview({
      ...at(repo, number),
      commit_id: headSha,
      event: "COMMENT",
      body,
      comments: comments.map((comment) => ({
        path: comment.path,
        body: comment.body,
        line: comment.line,
        side: comment.side,
        ...(comment.startLine < comment.line ? { start_line: comment.startLine, start_side: comment.side } : {}),
      })),
    }),
  );
  return { url: data.html_url };
}

/** GitHub allows one pending review a user and pull request; one that a crashed run left behind makes the next fail. */
async function dropPendingReview(github: GitHub, repo: Repo, number: number, botLogin: string): Promise<void> {
  const reviews = await github.paginate(github.rest.pulls.listReviews, { ...at(repo, number), per_page: 100 });
  for (const review of reviews) {
    if (review.state !== "PENDING" || review.user?.login !== botLogin) continue;
    await github.rest.pulls.deletePendingReview({ ...at(repo, number), review_id: review.id });
  }
}

/** 422 to a comment means that GitHub cannot place it; which one of several, it does not say. */
async function placing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError && error.status === 422)
      throw new CommentRefused(error.message, { cause: error });
    throw error;
  }
}

async function postedFindings(
  github: GitHub,
  repo: Repo,
  number: number,
  botLogin: string,
): Promise<ReadonlySet<string>> {
  const comments = await github.paginate(github.rest.pulls.listReviewComments, { ...at(repo, number), per_page: 100 });
  const own = comments.filter((comment) => comment.user.login === botLogin && comment.user.type === "Bot");
  return new Set(own.flatMap((comment) => parseFindingMarker(comment.body) ?? []));
}

async function putSummary(
  github: GitHub,
  repo: Repo,
  number: number,
  marker: string,
  body: string,
  botLogin: string,
): Promise<{ url: string }> {
  const where = { owner: repo.owner, repo: repo.name };
  const comments = await github.paginate(github.rest.issues.listComments, {
    ...where,
    issue_number: number,
    per_page: 100,
  });
  const mine = comments.find((comment) => comment.user?.login === botLogin && comment.body?.includes(marker) === true);
  const { data } =
    mine === undefined
      ? await github.rest.issues.createComment({ ...where, issue_number: number, body })
      : mine.body === body
        ? { data: mine }
        : await github.rest.issues.updateComment({ ...where, comment_id: mine.id, body });
  return { url: data.html_url };
}
