// Reads people's reactions to our findings on one pull request: one GraphQL query a page, because REST has neither resolutions
// nor the authors of reactions to many comments at once.

import type { Repo } from "../../../domain/job.ts";
import type { Person, PullFeedback, ReadDismissal, ReadReaction, ReadThread } from "../../../domain/memory/evidence.ts";
import { parseFindingMarker } from "../../../domain/review/marker.ts";
import type { Feedback } from "../../../ports/feedback.ts";
import type { GitHub } from "../clients.ts";
import { FEEDBACK, MORE_REACTIONS } from "../graphql-documents.ts";
import { placeOf, unlessStatus } from "../requests.ts";
import { errorTypes, translated, translatedMethods } from "../translate-error.ts";
import { accessOf } from "./permissions.ts";
import { COMPARED_FILES, type GitHubFile } from "./unmade-diff.ts";

/** Threads a page, and pages: enough for all findings that a pull request's history holds. */
const PAGES = 10;

/** With its numeric id if it has one. Null for a deleted account. */
interface Actor {
  readonly __typename: string;
  readonly login: string;
  readonly databaseId?: number;
}

interface Listed<Node> {
  readonly nodes: readonly (Node | null)[];
  readonly totalCount?: number;
}

interface ReactionNode {
  readonly id: string;
  readonly content: string;
  readonly createdAt: string;
  readonly user: Actor | null;
}

interface ThreadNode {
  readonly id: string;
  readonly isResolved: boolean;
  readonly resolvedBy: Actor | null;
  readonly root: Listed<{
    readonly id: string;
    readonly fullDatabaseId: string;
    readonly body: string;
    readonly url: string;
    readonly author: Actor | null;
    readonly pullRequestReview: { readonly fullDatabaseId: string } | null;
    readonly reactions: ReactionPage<ReactionNode>;
  }>;
  readonly answers: Listed<{
    readonly fullDatabaseId: string;
    readonly body: string;
    readonly url: string;
    readonly createdAt: string;
    readonly authorAssociation: string;
    readonly author: Actor | null;
  }>;
}

interface PullNode {
  readonly state: "OPEN" | "CLOSED" | "MERGED";
  readonly url: string;
  readonly headRefOid: string;
  readonly author: Actor | null;
  readonly mergedAt: string | null;
  readonly mergedBy: Actor | null;
  readonly mergeCommit: { readonly oid: string } | null;
  readonly timelineItems: Listed<{
    readonly id: string;
    readonly createdAt: string;
    readonly url: string;
    readonly dismissalMessage: string | null;
    readonly actor: Actor | null;
    readonly review: { readonly fullDatabaseId: string; readonly author: Actor | null } | null;
  }>;
  readonly reviewThreads: Listed<ThreadNode> & {
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

interface Answer {
  readonly repository: { readonly pullRequest: PullNode | null } | null;
}

/** The port for one repository's token. `botLogin` is our own account as REST writes it: `kodiai[bot]`. */
export function githubFeedback(github: GitHub, botLogin: string): Feedback {
  return translatedMethods<Feedback>({
    read: (repo, number) => read(github, repo, number, botLogin),
    /** A 403 that is not a rate limit would not change with a retry. */
    access: async (repo, who) =>
      (await unlessStatus([403], () => translated(() => accessOf(github, repo, who)))) ?? "none",
    async moved(repo, from, to) {
      const where = { ...placeOf(repo), basehead: `${from}...${to}`, per_page: 100 };
      const found = await unlessStatus([404], () => github.rest.repos.compareCommitsWithBasehead(where));
      if (found === null) return null;
      const { status, files = [] } = found.data;
      // After a rewrite the comparison starts at the common ancestor, and does not cover the files of `from`.
      const isComplete = (status === "ahead" || status === "identical") && files.length < COMPARED_FILES;
      return isComplete ? whereTo(files) : null;
    },
  });
}

async function read(github: GitHub, repo: Repo, number: number, botLogin: string): Promise<PullFeedback | null> {
  const threads: ReadThread[] = [];
  const cut: string[] = [];
  let isComplete = true;
  let after: string | null = null;
  const more = moreReactions<ReactionNode>(github);
  /** The same thread with all reactions to our comment, up to the limit. */
  const readOn = async (thread: ThreadNode): Promise<ThreadNode> => {
    const [first] = present(thread.root);
    if (first === undefined || !isOurs(first.author, botLogin)) return thread;
    const { nodes, isAll } = await more(first.id, first.reactions);
    if (!isAll)
      cut.push(`reactions to ${first.url}: ${nodes.length} of ${first.reactions.totalCount ?? "more"} were read`);
    const reactions = { ...first.reactions, nodes };
    return { ...thread, root: { ...thread.root, nodes: [{ ...first, reactions }] } };
  };
  for (let page = 1; ; page++) {
    const pull: PullNode | null =
      (await ask(github, { owner: repo.owner, name: repo.name, number, after }))?.repository?.pullRequest ?? null;
    if (pull === null) return null;
    const nodes = await Promise.all(present(pull.reviewThreads).map(readOn));
    threads.push(...nodes.flatMap((node) => threadsOf(node, botLogin)));
    isComplete &&= nodes.every(isWhole);
    const { hasNextPage, endCursor }: PullNode["reviewThreads"]["pageInfo"] = pull.reviewThreads.pageInfo;
    if (!hasNextPage) return { ...factsOf(pull, botLogin), threads, isComplete, cut };
    if (page === PAGES) return { ...factsOf(pull, botLogin), threads, isComplete: false, cut };
    after = endCursor;
  }
}

/** Null if there is no such pull request for us. */
async function ask(github: GitHub, where: Record<string, unknown>): Promise<Answer | null> {
  try {
    return await github.graphql<Answer>(FEEDBACK, where);
  } catch (error) {
    if (errorTypes(error).includes("NOT_FOUND")) return null;
    throw error;
  }
}

function present<Node>({ nodes }: Listed<Node>): readonly Node[] {
  return nodes.filter((node) => node !== null);
}

function isWhole({ root, answers }: ThreadNode): boolean {
  const isAll = <Node>({ nodes, totalCount = 0 }: Listed<Node>) => nodes.length >= totalCount;
  return isAll(answers) && present(root).every(({ reactions }) => isAll(reactions));
}

function factsOf(pull: PullNode, botLogin: string): Omit<PullFeedback, "threads" | "isComplete" | "cut"> {
  const { state, url, headRefOid: headSha, mergedAt, mergedBy, mergeCommit } = pull;
  const dismissals = present(pull.timelineItems).flatMap((event): ReadDismissal[] => {
    const { id, createdAt, url: page, dismissalMessage: message, actor, review } = event;
    if (review === null || !isOurs(review.author, botLogin)) return [];
    return [
      { id, reviewId: Number(review.fullDatabaseId), by: person(actor), at: Date.parse(createdAt), message, url: page },
    ];
  });
  return {
    state: state === "OPEN" ? "open" : state === "MERGED" ? "merged" : "closed",
    url,
    headSha,
    author: person(pull.author),
    merged:
      mergedAt === null ? null : { by: person(mergedBy), at: Date.parse(mergedAt), sha: mergeCommit?.oid ?? null },
    dismissals,
  };
}

/** One for each finding of our first comment; none for a thread that others began, even if it contains our marker. */
function threadsOf({ id, isResolved, resolvedBy, root, answers }: ThreadNode, botLogin: string): readonly ReadThread[] {
  const [first] = present(root);
  if (first === undefined || !isOurs(first.author, botLogin)) return [];
  const thread = {
    id,
    url: first.url,
    reviewId: first.pullRequestReview === null ? null : Number(first.pullRequestReview.fullDatabaseId),
    reactions: present(first.reactions).flatMap((one) => reactionOf(one, botLogin) ?? []),
    replies: present(answers).flatMap((one) => {
      const by = person(one.author);
      if (one.fullDatabaseId === first.fullDatabaseId || by === null || isOurs(one.author, botLogin)) return [];
      const isFirstTime = one.authorAssociation.startsWith("FIRST_TIME");
      const { fullDatabaseId, body, url, createdAt } = one;
      return [{ id: Number(fullDatabaseId), by, isFirstTime, at: Date.parse(createdAt), body, url }];
    }),
    isResolved,
    resolvedBy: person(resolvedBy),
  };
  return parseFindingMarker(first.body).map((findingId) => ({ ...thread, findingId }));
}

function reactionOf({ id, content, createdAt, user }: ReactionNode, botLogin: string): ReadReaction | null {
  const by = person(user);
  // GitHub shows no user for the reaction of an App.
  if (by === null || isOurs(user, botLogin)) return null;
  if (content !== "THUMBS_UP" && content !== "THUMBS_DOWN") return null;
  return { id, thumb: content === "THUMBS_UP" ? "up" : "down", by, at: Date.parse(createdAt) };
}

/** Without a numeric id, access cannot be checked. */
function person(actor: Actor | null): Person | null {
  if (actor?.databaseId === undefined) return null;
  return { id: actor.databaseId, login: actor.login, isBot: actor.__typename !== "User" };
}

/** GraphQL writes the login of an App's account without `[bot]`; no person can have its type. */
function isOurs(actor: Actor | null, botLogin: string): boolean {
  return actor?.__typename === "Bot" && actor.login.replace(/\[bot\]$/, "") === botLogin.replace(/\[bot\]$/, "");
}

function whereTo(files: readonly GitHubFile[]): ReadonlyMap<string, string | null> {
  const paths = new Map<string, string | null>();
  for (const { filename, status, previous_filename: previous } of files) {
    if (status === "removed") paths.set(filename, null);
    if (status === "renamed" && previous !== undefined) paths.set(previous, filename);
  }
  return paths;
}

// Reactions beyond the first hundred of a comment: one page per request, up to a fixed number of pages.

/** A comment's reactions on a page of the pull request's query. */
interface ReactionPage<Node> {
  readonly totalCount?: number;
  readonly nodes: readonly (Node | null)[];
  readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Pages of a hundred for one comment beyond the first, and for all comments of a pull request. */
const PAGES_EACH = 9;
const PAGES_TOGETHER = 30;

interface ReactionsAnswer<Node> {
  readonly node: { readonly reactions?: ReactionPage<Node> } | null;
}

/**
 * Reads the further pages of comments whose first page has more.
 *
 * @returns a function of a comment's node id and its first page: all reactions read, and whether that is all of them
 */
function moreReactions<Node>(
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
    const { node } = await github.graphql<ReactionsAnswer<Node>>(MORE_REACTIONS, { id, after });
    return node?.reactions ?? null;
  } catch (error) {
    if (errorTypes(error).includes("NOT_FOUND")) return null;
    throw error;
  }
}
