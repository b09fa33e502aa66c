// Reads threads on a diff: GitHub's threads are flat, and every reply names the first comment.
import { LRUCache } from "lru-cache";
import type { ThreadComment } from "../../../domain/conversation.ts";
import type { Threads } from "../../../ports/conversation.ts";
import type { GitHub } from "../clients.ts";
import { placeOf, unlessStatus } from "../requests.ts";
import { translatedMethods } from "../translate-error.ts";
import { reviewCommentsOf } from "../write/find-post.ts";

type ListedComment = Awaited<ReturnType<GitHub["rest"]["pulls"]["listReviewComments"]>>["data"][number];

/** Threads' first comments, kept a moment: what people write below costs no request. */
export function newThreadRoots(): LRUCache<string, { readonly root: ThreadComment | null }> {
  return new LRUCache({ max: 10_000, ttl: 60_000 });
}

/**
 * The reading port for one repository's token.
 *
 * @param botLogin our own account, such as `kodiai[bot]`
 * @param roots shared by the jobs of a process
 */
export function githubThreads(github: GitHub, botLogin: string, roots = newThreadRoots()): Threads {
  return translatedMethods<Threads>({
    async root(repo, rootId) {
      const key = `${repo.host}/${repo.id} ${rootId}`;
      const known = roots.get(key);
      if (known !== undefined) return known.root;
      const where = { ...placeOf(repo), comment_id: rootId };
      const found = await unlessStatus([404], () => github.rest.pulls.getReviewComment(where));
      const root = found && commentOf(found.data, botLogin);
      roots.set(key, { root });
      return root;
    },
    async thread(repo, number, rootId) {
      const all = await reviewCommentsOf(github, repo, number);
      return all
        .filter((comment) => comment.id === rootId || comment.in_reply_to_id === rootId)
        .sort((a, b) => a.id - b.id)
        .map((comment) => commentOf(comment, botLogin));
    },
  });
}

function commentOf(
  comment: Pick<ListedComment, "id" | "body" | "created_at" | "updated_at" | "path" | "diff_hunk"> & {
    // Comments of a deleted account stay; GitHub's schema does not say so.
    readonly user: { readonly id: number; readonly login: string; readonly type: string } | null;
  },
  botLogin: string,
): ThreadComment {
  const { user } = comment;
  const isBot = user?.type === "Bot";
  return {
    id: comment.id,
    author: { id: user?.id ?? 0, login: user?.login ?? "ghost", isBot },
    isOurs: isBot && user?.login === botLogin,
    body: comment.body,
    createdAt: comment.created_at,
    updatedAt: comment.updated_at,
    path: comment.path,
    hunk: comment.diff_hunk === "" ? null : comment.diff_hunk,
  };
}
