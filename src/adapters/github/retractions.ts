// Our own comments of a pull request on GitHub, and how they are hidden. Posts by others are ignored.
import { hasSummaryMarker, parseFindingMarker, parseReviewMarker } from "../../domain/review/marker.ts";
import type { OwnPost, Retractions } from "../../ports/checks.ts";
import type { GitHub } from "./clients.ts";
import { isOurs } from "./find-post.ts";
import { MINIMIZE } from "./graphql-documents.ts";
import { placeOf } from "./requests.ts";
import { translated } from "./translate-error.ts";
import type { WritePath } from "./write-path.ts";

/** The port for one repository's token. `botLogin` is our own account, such as `kodiai[bot]`. */
export function githubRetractions(
  github: GitHub,
  botLogin: string,
  { repeat }: Pick<WritePath, "repeat">,
): Retractions {
  return {
    posts: (repo, number) =>
      translated(async () => {
        const where = { ...placeOf(repo), pull_number: number, per_page: 100 };
        const reviews = await github.paginate(github.rest.pulls.listReviews, where);
        const comments = await github.paginate(github.rest.pulls.listReviewComments, where);
        return [
          ...reviews
            .filter((one) => isOurs(one, botLogin))
            .flatMap((review): OwnPost[] => {
              const headSha = parseReviewMarker(review.body);
              if (headSha === null) return [];
              return [{ kind: "review", ...addressOf(review), headSha, findingIds: [] }];
            }),
          ...comments
            .filter((one) => isOurs(one, botLogin))
            .flatMap((comment): OwnPost[] => {
              const findingIds = parseFindingMarker(comment.body);
              if (findingIds.length === 0) return [];
              return [{ kind: "comment", ...addressOf(comment), headSha: comment.original_commit_id, findingIds }];
            }),
        ];
      }),
    summary: (repo, number) =>
      translated(async () => {
        const where = { ...placeOf(repo), issue_number: number, per_page: 100 };
        const comments = await github.paginate(github.rest.issues.listComments, where);
        const mine = comments.find((comment) => isOurs(comment, botLogin) && hasSummaryMarker(comment.body ?? ""));
        return mine === undefined ? null : { id: mine.id, body: mine.body ?? "", url: mine.html_url };
      }),
    hide: (post) => translated(async () => void (await repeat(() => github.graphql(MINIMIZE, { id: post.nodeId })))),
    editSummary: (repo, id, body) =>
      translated(async () => {
        const where = { ...placeOf(repo), comment_id: id };
        await repeat(() => github.rest.issues.updateComment({ ...where, body }));
      }),
  };
}

function addressOf({
  id,
  node_id,
  html_url,
}: {
  readonly id: number;
  readonly node_id: string;
  readonly html_url: string;
}) {
  return { id, nodeId: node_id, url: html_url };
}
