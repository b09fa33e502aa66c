// Reads people's reactions to our findings on one pull request: one GraphQL query a page, because
// REST has neither resolutions nor the authors of reactions to many comments at once.

import type { Repo } from "../../../domain/job.ts";
import type { Person, PullFeedback, ReadDismissal, ReadReaction, ReadThread } from "../../../domain/memory/evidence.ts";
import { parseFindingMarker } from "../../../domain/review/marker.ts";
import type { Feedback } from "../../../ports/feedback.ts";
import type { GitHub } from "../clients.ts";
import { type Actor, FEEDBACK, MORE_REACTIONS, type Page } from "../graphql-documents.ts";
import { placeOf, unlessStatus } from "../requests.ts";
import { translated, translatedMethods } from "../translate-error.ts";
import { COMPARED_FILES, type GitHubFile } from "./list-changes.ts";
import { accessOf, newDenials } from "./permissions.ts";

/** Pages of threads: enough for all findings that a pull request's history holds. */
const PAGES = 10;
/** Pages of a hundred reactions after the first: to one comment, and to all of a pull request. */
const REACTION_PAGES = 9;
const REACTION_PAGES_TOGETHER = 30;

interface ReactionNode {
  readonly id: string;
  readonly content: string;
  readonly createdAt: string;
  readonly user: Actor;
}

interface ThreadNode {
  readonly id: string;
  readonly isResolved: boolean;
  readonly resolvedBy: Actor;
  readonly root: Page<{
    readonly id: string;
    readonly fullDatabaseId: string;
    readonly body: string;
    readonly url: string;
    readonly author: Actor;
    readonly pullRequestReview: { readonly fullDatabaseId: string } | null;
    readonly reactions: Page<ReactionNode>;
  }>;
  readonly answers: Page<{
    readonly fullDatabaseId: string;
    readonly body: string;
    readonly url: string;
    readonly createdAt: string;
    readonly author: Actor;
  }>;
}

interface PullNode {
  readonly state: "OPEN" | "CLOSED" | "MERGED";
  readonly url: string;
  readonly headRefOid: string;
  readonly author: Actor;
  readonly mergedAt: string | null;
  readonly mergedBy: Actor;
  readonly mergeCommit: { readonly oid: string } | null;
  readonly timelineItems: Page<{
    readonly id: string;
    readonly createdAt: string;
    readonly url: string;
    readonly dismissalMessage: string | null;
    readonly actor: Actor;
    readonly review: { readonly fullDatabaseId: string; readonly author: Actor } | null;
  }>;
  readonly reviewThreads: Page<ThreadNode>;
}

/** The port for one repository's token. `botLogin` is our account in REST: `kodiai[bot]`. */
export function githubFeedback(github: GitHub, botLogin: string, denials = newDenials()): Feedback {
  return translatedMethods<Feedback>({
    read: (repo, number) => read(github, repo, number, botLogin),
    /** A 403 that is not a rate limit would not change with a retry. */
    access: async (repo, who) =>
      (await unlessStatus([403], () => translated(() => accessOf(github, repo, who, denials)))) ?? "none",
    async moved(repo, from, to) {
      const where = { ...placeOf(repo), basehead: `${from}...${to}`, per_page: 100 };
      const found = await unlessStatus([404], () => github.rest.repos.compareCommitsWithBasehead(where));
      if (found === null) return null;
      const { status, files = [] } = found.data;
      // After a rewrite it starts at the common ancestor, and does not cover the files of `from`.
      const isComplete = (status === "ahead" || status === "identical") && files.length < COMPARED_FILES;
      return isComplete ? whereTo(files) : null;
    },
  });
}

async function read(github: GitHub, repo: Repo, number: number, botLogin: string): Promise<PullFeedback | null> {
  const threads: ReadThread[] = [];
  const cut: string[] = [];
  let isComplete = true;
  let left = REACTION_PAGES_TOGETHER;

  /** The same thread with all reactions to our comment, up to the limits. */
  async function readOn(thread: ThreadNode): Promise<ThreadNode> {
    const [first] = present(thread.root);
    if (first === undefined || !isOurs(first.author, botLogin)) return thread;
    const nodes = [...first.reactions.nodes];
    let page: Page<ReactionNode> | null = first.reactions;
    for (let turn = 0; turn < REACTION_PAGES && page?.pageInfo?.hasNextPage === true && left > 0; turn += 1) {
      left -= 1;
      page = await nextReactions(github, first.id, page.pageInfo.endCursor);
      nodes.push(...(page?.nodes ?? []));
    }
    if (page === null || page.pageInfo?.hasNextPage === true)
      cut.push(`reactions to ${first.url}: ${nodes.length} of ${first.reactions.totalCount ?? "more"} were read`);
    return { ...thread, root: { nodes: [{ ...first, reactions: { ...first.reactions, nodes } }] } };
  }

  let after: string | null = null;
  for (let page = 1; ; page++) {
    const pull = await pullAt(github, { owner: repo.owner, name: repo.name, number, after });
    if (pull === null) return null;
    const nodes = await Promise.all(present(pull.reviewThreads).map(readOn));
    threads.push(...nodes.flatMap((node) => threadsOf(node, botLogin)));
    isComplete &&= nodes.every(isWhole);
    const { pageInfo } = pull.reviewThreads;
    if (pageInfo?.hasNextPage !== true) return { ...factsOf(pull, botLogin), threads, isComplete, cut };
    if (page === PAGES) return { ...factsOf(pull, botLogin), threads, isComplete: false, cut };
    after = pageInfo.endCursor;
  }
}

/** Null if there is no such pull request for us. */
async function pullAt(github: GitHub, where: Readonly<Record<string, unknown>>): Promise<PullNode | null> {
  type Answer = { readonly repository: { readonly pullRequest: PullNode | null } | null };
  const answer = await unlessStatus([404], () => translated(() => github.graphql<Answer>(FEEDBACK, where)));
  return answer?.repository?.pullRequest ?? null;
}

/** Null for a comment that was deleted meanwhile. */
async function nextReactions(github: GitHub, id: string, after: string | null): Promise<Page<ReactionNode> | null> {
  type Answer = { readonly node: { readonly reactions?: Page<ReactionNode> } | null };
  const ask = () => translated(() => github.graphql<Answer>(MORE_REACTIONS, { id, after }));
  return (await unlessStatus([404], ask))?.node?.reactions ?? null;
}

function present<Node>({ nodes }: Page<Node>): readonly Node[] {
  return nodes.filter((node) => node !== null);
}

function isWhole({ root, answers }: ThreadNode): boolean {
  const isAll = <Node>({ nodes, totalCount = 0 }: Page<Node>) => nodes.length >= totalCount;
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

/** One for each finding of our first comment; none for others' threads, whatever they contain. */
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
      const { fullDatabaseId, body, url, createdAt } = one;
      return [{ id: Number(fullDatabaseId), by, at: Date.parse(createdAt), body, url }];
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
function person(actor: Actor): Person | null {
  if (typeof actor?.databaseId !== "number") return null;
  return { id: actor.databaseId, login: actor.login, isBot: actor.__typename !== "User" };
}

/** GraphQL writes the login of an App's account without `[bot]`; no person can have its type. */
function isOurs(actor: Actor, botLogin: string): boolean {
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
