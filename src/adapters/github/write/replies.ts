// Writes answers and reactions on GitHub.

import { OutOfReach } from "../../../domain/errors.ts";
import type { Repo } from "../../../domain/job.ts";
import { proofMarker } from "../../../domain/review/marker.ts";
import type { AnswerPlace, Replies } from "../../../ports/conversation.ts";
import type { GitHub } from "../clients.ts";
import { FIND_THREAD, type Page, RESOLVE_THREAD } from "../graphql-documents.ts";
import { placeOf } from "../requests.ts";
import { translate, translatedMethods } from "../translate-error.ts";
import { isOurs } from "./find-post.ts";
import type { WritePath } from "./write-path.ts";

/** The answering port for one repository's token. `botLogin` is our account: `kodiai[bot]`. */
export function githubReplies(github: GitHub, botLogin: string, path: WritePath): Replies {
  const rootOf = ({ place, rootId }: AnswerPlace) => (place === "thread" ? rootId : null);
  return translatedMethods<Replies>({
    async react(repo, to, content) {
      const where = { ...placeOf(repo), comment_id: to.id, content };
      try {
        const { reactions } = github.rest;
        if (to.place === "thread") await path.repeat(() => reactions.createForPullRequestReviewComment(where));
        else if (to.place === "conversation") await path.repeat(() => reactions.createForIssueComment(where));
        return true;
      } catch (error) {
        // A failed reaction must not prevent the answer.
        return !(translate(error, Date.now()) instanceof OutOfReach);
      }
    },
    async answered(repo, number, to, marker) {
      const page = { ...placeOf(repo), per_page: 100, ...(to.at === "" ? {} : { since: to.at }) };
      const comments =
        rootOf(to) === null
          ? await github.paginate(github.rest.issues.listComments, { ...page, issue_number: number })
          : await github.paginate(github.rest.pulls.listReviewComments, { ...page, pull_number: number });
      return comments.some((comment) => isOurs(comment, botLogin) && comment.body?.includes(marker) === true);
    },
    async reply(repo, number, to, body) {
      const root = rootOf(to);
      const wanted = { kind: "answer", repo, number, headSha: "", subject: `${to.place}_${to.id}` } as const;
      const answer = (comment: number | null) =>
        path.create(wanted, {
          post: (marker) => {
            const proven = { ...placeOf(repo), body: `${body}\n${proofMarker(marker)}` };
            return comment === null
              ? github.rest.issues.createComment({ ...proven, issue_number: number })
              : github.rest.pulls.createReplyForReviewComment({ ...proven, pull_number: number, comment_id: comment });
          },
        });
      try {
        return await answer(root);
      } catch (error) {
        // The first comment of the thread was deleted: nothing can be added to it.
        const known = translate(error, Date.now());
        if (root === null || !(known instanceof OutOfReach && known.why === "missing")) throw error;
        return answer(null);
      }
    },
    /** GitHub wants `contents: write` (community discussion 44650), which we have not: refused. */
    async resolve(repo, number, rootId) {
      try {
        const thread = await threadOf(github, repo, number, rootId);
        if (thread === null) return "missing";
        if (!thread.isResolved) await path.repeat(() => github.graphql(RESOLVE_THREAD, { thread: thread.id }));
        return "resolved";
      } catch (error) {
        const known = translate(error, Date.now());
        if (known instanceof OutOfReach) return known.status === 404 ? "missing" : "refused";
        throw known;
      }
    },
  });
}

interface FoundThread {
  readonly id: string;
  readonly isResolved: boolean;
  readonly comments: Page<{ readonly fullDatabaseId: string }>;
}

type FoundThreads = { readonly repository: { readonly pullRequest: { readonly reviewThreads: Page<FoundThread> } } };

async function threadOf(github: GitHub, repo: Repo, number: number, rootId: number): Promise<FoundThread | null> {
  let after: string | null = null;
  do {
    const where = { owner: repo.owner, name: repo.name, number, after };
    const found: FoundThreads = await github.graphql<FoundThreads>(FIND_THREAD, where);
    const { nodes, pageInfo } = found.repository.pullRequest.reviewThreads;
    const thread = nodes.find((node) => Number(node?.comments.nodes[0]?.fullDatabaseId) === rootId);
    if (thread) return thread;
    after = pageInfo?.hasNextPage === true ? pageInfo.endCursor : null;
  } while (after !== null);
  return null;
}
