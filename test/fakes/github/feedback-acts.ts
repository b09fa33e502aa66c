// What people do about a review: they press thumbs, resolve threads, dismiss. GitHub tells Apps of the last two only.
import { type Json, now, type Person, type Pull, type ReviewComment } from "./conversation.ts";
import type { Hub } from "./hub.ts";
import type { Manifest } from "./manifest.ts";
import { around } from "./pull-acts.ts";
import { nodeId, pullJson, pullPage, reviewCommentJson, reviewJson } from "./shapes.ts";

export interface FeedbackActs {
  /** Somebody presses a thumb at a comment on the diff; nobody is told. `at` is when, now when left out. */
  react(comment: ReviewComment, login: string, content: "+1" | "-1", at?: string): void;
  /** Somebody takes all their reactions to a comment back. */
  unreact(comment: ReviewComment, login: string): void;
  /** `pull_request_review_thread`. */
  resolve(pull: Pull, root: number, login: string): Promise<void>;
  unresolve(pull: Pull, root: number, login: string): Promise<void>;
  /** `pull_request_review`. Real GitHub lets people dismiss approvals and requests for changes only. */
  dismiss(pull: Pull, reviewId: number, login: string, message: string): Promise<void>;
  /** The comment goes, as when its author deletes it. */
  removeComment(pull: Pull, comment: ReviewComment): void;
}

export function feedbackActs(hub: Hub, manifest: Manifest, person: (login: string) => Person): FeedbackActs {
  const send = async (pull: Pull, event: string, sender: Person, payload: Json): Promise<void> => {
    if (manifest.events.includes(event)) await hub.hooks.send(event, { ...payload, ...around(hub, pull, sender) });
  };
  const turn = async (pull: Pull, root: number, sender: Person, action: "resolved" | "unresolved") => {
    const comments = pull.comments.filter(({ id, inReplyTo }) => id === root || inReplyTo === root);
    const current = await hub.changes(pull);
    const thread = { node_id: threadId(root), comments: comments.map((one) => reviewCommentJson(pull, one, current)) };
    await send(pull, "pull_request_review_thread", sender, { action, thread, pull_request: pullJson(pull, null) });
  };
  return {
    react(comment, login, content, at = now()) {
      comment.reactions.push({ id: hub.nextId(), author: person(login), content, createdAt: at });
    },
    unreact({ reactions }, login) {
      const kept = reactions.filter(({ author }) => author !== person(login));
      reactions.splice(0, reactions.length, ...kept);
    },
    async resolve(pull, root, login) {
      pull.resolved.add(root);
      pull.resolvedBy.set(root, person(login));
      await turn(pull, root, person(login), "resolved");
    },
    async unresolve(pull, root, login) {
      pull.resolved.delete(root);
      await turn(pull, root, person(login), "unresolved");
    },
    async dismiss(pull, reviewId, login, message) {
      const review = pull.reviews.find(({ id }) => id === reviewId);
      if (review === undefined) throw new Error(`no review ${reviewId}`);
      review.state = "DISMISSED";
      pull.dismissals.push({ id: hub.nextId(), review, by: person(login), message, createdAt: now() });
      const payload = { action: "dismissed", review: reviewJson(pull, review), pull_request: pullJson(pull, null) };
      await send(pull, "pull_request_review", person(login), payload);
    },
    removeComment(pull, comment) {
      pull.comments.splice(pull.comments.indexOf(comment), 1);
    },
  };
}

export function threadId(root: number): string {
  return `PRRT_${root}`;
}

/** What the one query about feedback asks of a pull request, all on one page. */
export function feedbackAnswer(hub: Hub, { owner, name, number }: Json): Json {
  const repository = hub.repositories.get(`${owner}/${name}`.toLowerCase());
  const pull = repository?.pulls.find((one) => one.number === number);
  if (pull === undefined) {
    const message = `Could not resolve to a PullRequest with the number of ${number}.`;
    return { data: { repository: null }, errors: [{ type: "NOT_FOUND", path: ["repository"], message }] };
  }
  const roots = pull.comments.filter(({ inReplyTo }) => inReplyTo === null);
  const pullRequest = {
    state: pull.merged ? "MERGED" : pull.state.toUpperCase(),
    url: pullPage(pull),
    headRefOid: pull.headSha,
    author: actor(pull.author),
    mergedAt: pull.merged ? pull.mergedAt : null,
    mergedBy: pull.merged && pull.mergedBy !== null ? actor(pull.mergedBy) : null,
    mergeCommit: pull.merged ? { oid: pull.headSha } : null,
    timelineItems: {
      nodes: pull.dismissals.map(({ id, review, by, message, createdAt }) => ({
        id: nodeId("RDE", id),
        createdAt,
        url: `${pullPage(pull)}#event-${id}`,
        dismissalMessage: message,
        actor: actor(by),
        review: { databaseId: review.id, author: actor(review.author) },
      })),
    },
    reviewThreads: {
      nodes: roots.map((root) => threadNode(pull, root)),
      pageInfo: { hasNextPage: false, endCursor: null },
    },
  };
  return { data: { repository: { pullRequest } } };
}

function threadNode(pull: Pull, root: ReviewComment): Json {
  const by = pull.resolvedBy.get(root.id);
  const isResolved = pull.resolved.has(root.id);
  const all = pull.comments.filter(({ id, inReplyTo }) => id === root.id || inReplyTo === root.id);
  return {
    id: threadId(root.id),
    isResolved,
    resolvedBy: isResolved && by !== undefined ? actor(by) : null,
    root: {
      nodes: [
        {
          ...commentNode(pull, root),
          pullRequestReview: { databaseId: root.reviewId },
          id: nodeId("PRRC", root.id),
          reactions: { totalCount: root.reactions.length, ...reactionsFrom(root, 0) },
        },
      ],
    },
    answers: { totalCount: all.length, nodes: all.map((comment) => commentNode(pull, comment)) },
  };
}

const PER_PAGE = 100;

function reactionsFrom({ reactions }: ReviewComment, from: number): Json {
  const end = from + PER_PAGE;
  return {
    nodes: reactions.slice(from, end).map(({ id, content, author, createdAt }) => ({
      id: nodeId("REA", id),
      content: content === "+1" ? "THUMBS_UP" : content === "-1" ? "THUMBS_DOWN" : content.toUpperCase(),
      createdAt: createdAt ?? now(),
      // GitHub shows no user for what an App does.
      user: author.type === "User" ? actor(author) : null,
    })),
    pageInfo: { hasNextPage: reactions.length > end, endCursor: String(end) },
  };
}

/** A further page of a comment's reactions, by the comment's node id. */
export function reactionsAnswer(hub: Hub, { id, after }: Json): Json {
  const comments = [...hub.repositories.values()].flatMap(({ pulls }) => pulls).flatMap((pull) => pull.comments);
  const found = comments.find((comment) => nodeId("PRRC", comment.id) === id);
  return { data: { node: found === undefined ? null : { reactions: reactionsFrom(found, Number(after)) } } };
}

function commentNode(pull: Pull, { id, body, author, createdAt }: ReviewComment): Json {
  const url = `${pullPage(pull)}#discussion_r${id}`;
  return { databaseId: id, body, url, createdAt, authorAssociation: author.association, author: actor(author) };
}

/** GraphQL leaves out the `[bot]` that REST writes. */
function actor({ login, id, type, isGone }: Person): Json | null {
  if (isGone === true) return null;
  return { __typename: type, login: type === "Bot" ? login.replace(/\[bot\]$/, "") : login, databaseId: id };
}
