// Reactions beyond the first hundred of a comment: one page per request, up to a fixed number of pages.
import type { GitHub } from "../clients.ts";
import { MORE_REACTIONS } from "../graphql-documents.ts";
import { errorTypes } from "../graphql-refusal.ts";

/** A comment's reactions on a page of the pull request's query. */
export interface ReactionPage<Node> {
  readonly totalCount?: number;
  readonly nodes: readonly (Node | null)[];
  readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Pages of a hundred for one comment beyond the first, and for all comments of a pull request. */
const PAGES_EACH = 9;
const PAGES_TOGETHER = 30;

interface Answer<Node> {
  readonly node: { readonly reactions?: ReactionPage<Node> } | null;
}

/**
 * Reads the further pages of comments whose first page has more.
 *
 * @returns a function of a comment's node id and its first page: all reactions read, and whether that is all of them
 */
export function moreReactions<Node>(
  github: GitHub,
): (
  id: string,
  first: ReactionPage<Node>,
) => Promise<{ readonly nodes: readonly (Node | null)[]; readonly isAll: boolean }> {
  let left = PAGES_TOGETHER;
  return async (id, first) => {
    const nodes = [...first.nodes];
    let page = first.pageInfo;
    for (let turn = 0; turn < PAGES_EACH && page?.hasNextPage === true && left > 0; turn += 1) {
      left -= 1;
      const reactions = await nextPage<Node>(github, id, page.endCursor);
      if (reactions === null) return { nodes, isAll: false };
      nodes.push(...reactions.nodes);
      page = reactions.pageInfo;
    }
    return { nodes, isAll: page?.hasNextPage !== true };
  };
}

/** Null for a comment that was deleted meanwhile. */
async function nextPage<Node>(github: GitHub, id: string, after: string | null): Promise<ReactionPage<Node> | null> {
  try {
    const { node } = await github.graphql<Answer<Node>>(MORE_REACTIONS, { id, after });
    return node?.reactions ?? null;
  } catch (error) {
    if (errorTypes(error).includes("NOT_FOUND")) return null;
    throw error;
  }
}
