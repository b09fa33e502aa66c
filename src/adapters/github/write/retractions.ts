// Our own comments of a pull request on GitHub, and how they are hidden. Posts by others are ignored.
import { parseFindingMarker, parseReviewMarker } from "../../../domain/review/marker.ts";
import type { OwnPost, Retractions } from "../../../ports/checks.ts";
import type { GitHub } from "../clients.ts";
import { MINIMIZE } from "../graphql-documents.ts";
import { placeOf } from "../requests.ts";
import { translatedMethods } from "../translate-error.ts";
import { isOurs, reviewCommentsOf, summaryOf } from "./find-post.ts";
import type { WritePath } from "./write-path.ts";

/** The port for one repository's token. `botLogin` is our own account, such as `kodiai[bot]`. */
export function githubRetractions(
  github: GitHub,
  botLogin: string,
  { repeat }: Pick<WritePath, "repeat">,
): Retractions {
  return translatedMethods<Retractions>({
    async posts(repo, number) {
      const where = { ...placeOf(repo), pull_number: number, per_page: 100 };
      const reviews = await github.paginate(github.rest.pulls.listReviews, where);
      const comments = await reviewCommentsOf(github, repo, number);
      return [
        ...reviews.flatMap((review): OwnPost[] => {
          const headSha = isOurs(review, botLogin) ? parseReviewMarker(review.body) : null;
          return headSha === null ? [] : [{ kind: "review", ...addressOf(review), headSha, findingIds: [] }];
        }),
        ...comments.flatMap((comment): OwnPost[] => {
          const findingIds = isOurs(comment, botLogin) ? parseFindingMarker(comment.body) : [];
          const headSha = comment.original_commit_id;
          return findingIds.length === 0 ? [] : [{ kind: "comment", ...addressOf(comment), headSha, findingIds }];
        }),
      ];
    },
    async summary(repo, number) {
      const mine = await summaryOf(github, botLogin, repo, number);
      return mine === undefined ? null : { id: mine.id, body: mine.body ?? "", url: mine.html_url };
    },
    async hide(post) {
      await repeat(() => github.graphql(MINIMIZE, { id: post.nodeId }));
    },
    async editSummary(repo, id, body) {
      await repeat(() => github.rest.issues.updateComment({ ...placeOf(repo), comment_id: id, body }));
    },
  });
}

interface Addressed {
  readonly id: number;
  readonly node_id: string;
  readonly html_url: string;
}

function addressOf({ id, node_id, html_url }: Addressed) {
  return { id, nodeId: node_id, url: html_url };
}
