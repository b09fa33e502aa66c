// What GraphQL tells of this world, and the two things that it does: a thread is resolved, a
// comment is folded away.
import { Hono } from "hono";
import type { Caller } from "./access.ts";
import { type Json, now, type Person, type Pull, type Reaction, type ReviewComment } from "./conversation.ts";
import { threadId } from "./feedback-actions.ts";
import { answerOf, connection, FieldRefused } from "./graphql.ts";
import { authorOf, bodyOf, type Hub, type RouteEnv } from "./hub.ts";
import { nodeId, pullPage } from "./shapes.ts";

export function graphqlRoutes(hub: Hub): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  routes.post("/graphql", async (c) => {
    const { query, variables } = await bodyOf(c);
    const { caller } = c.env;
    return c.json(await answerOf(query, variables, { ...questions(hub, caller), ...acts(hub, caller, authorOf(c)) }));
  });
  return routes;
}

function questions(hub: Hub, caller: Caller): Json {
  return {
    // Follows renames by default, as the published schema says.
    repository({ owner, name, followRenames }: Json) {
      const asked = `${owner}/${name}`.toLowerCase();
      const former = followRenames === true ? hub.formerNames.get(asked) : undefined;
      const repository = hub.repositories.get(asked) ?? [...hub.repositories.values()].find(({ id }) => id === former);
      if (repository === undefined)
        throw new FieldRefused("NOT_FOUND", `Could not resolve to a Repository with the name '${owner}/${name}'.`);
      return {
        pullRequest({ number }: Json) {
          if (!may(caller, "pull_requests:read")) throw forbidden();
          const pull = repository.pulls.find((one) => one.number === number);
          if (pull === undefined)
            throw new FieldRefused("NOT_FOUND", `Could not resolve to a PullRequest with the number of ${number}.`);
          return pullNode(pull);
        },
      };
    },
    node({ id }: Json) {
      for (const pull of pullsOf(hub)) {
        const comment = pull.comments.find((one) => nodeId("PRRC", one.id) === id);
        if (comment !== undefined) return commentNode(pull, comment);
      }
      throw noNode(id);
    },
  };
}

function acts(hub: Hub, caller: Caller, author: Person): Json {
  return {
    resolveReviewThread({ input }: Json) {
      // Observed on github.com: `pull_requests: write` does not suffice (community discussion
      // 44650).
      if (!may(caller, "contents:write")) throw forbidden();
      const { threadId: thread } = input as Json;
      for (const pull of pullsOf(hub)) {
        const root = pull.comments.find(({ id }) => threadId(id) === thread);
        if (root === undefined) continue;
        pull.resolved.add(root.id);
        pull.resolvedBy.set(root.id, author);
        return { thread: threadNode(pull, root) };
      }
      throw noNode(thread);
    },
  };
}

function may(caller: Caller, permission: Parameters<Extract<Caller, { kind: "installation" }>["may"]>[0]): boolean {
  if (caller.kind === "installation") return caller.may(permission);
  return permission.endsWith(":read") || (caller.kind === "person" && caller.writes);
}

function forbidden(): FieldRefused {
  return new FieldRefused("FORBIDDEN", "Resource not accessible by integration");
}

function noNode(id: unknown): FieldRefused {
  return new FieldRefused("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
}

function pullsOf(hub: Hub): readonly Pull[] {
  return [...hub.repositories.values()].flatMap(({ pulls }) => pulls);
}

function pullNode(pull: Pull): Json {
  const roots = pull.comments.filter(({ inReplyTo }) => inReplyTo === null);
  return {
    state: pull.merged ? "MERGED" : pull.state.toUpperCase(),
    url: pullPage(pull),
    headRefOid: pull.headSha,
    number: pull.number,
    merged: pull.merged,
    authorAssociation: pull.author.association,
    author: actor(pull.author),
    mergedAt: pull.merged ? pull.mergedAt : null,
    mergedBy: pull.merged && pull.mergedBy !== null ? actor(pull.mergedBy) : null,
    mergeCommit: pull.merged ? { oid: pull.headSha } : null,
    timelineItems: connection(
      pull.dismissals.map(({ id, review, by, message, createdAt }) => ({
        __typename: "ReviewDismissedEvent",
        id: nodeId("RDE", id),
        createdAt,
        url: `${pullPage(pull)}#event-${id}`,
        dismissalMessage: message,
        actor: actor(by),
        review: { ...numbered(review.id), author: actor(review.author) },
      })),
    ),
    reviewThreads: connection(roots.map((root) => threadNode(pull, root))),
  };
}

function threadNode(pull: Pull, root: ReviewComment): Json {
  const by = pull.resolvedBy.get(root.id);
  const isResolved = pull.resolved.has(root.id);
  const all = pull.comments.filter(({ id, inReplyTo }) => id === root.id || inReplyTo === root.id);
  return {
    id: threadId(root.id),
    isResolved,
    resolvedBy: isResolved && by !== undefined ? user(by) : null,
    comments: connection(all.map((comment) => commentNode(pull, comment))),
  };
}

function commentNode(pull: Pull, comment: ReviewComment): Json {
  const { id, body, author, createdAt, reviewId, reactions } = comment;
  return {
    __typename: "PullRequestReviewComment",
    id: nodeId("PRRC", id),
    ...numbered(id),
    body,
    url: `${pullPage(pull)}#discussion_r${id}`,
    createdAt,
    authorAssociation: author.association,
    author: actor(author),
    pullRequestReview: numbered(reviewId),
    reactions: connection(reactions.map(reactionNode)),
  };
}

const CONTENTS = new Map([
  ["+1", "THUMBS_UP"],
  ["-1", "THUMBS_DOWN"],
]);

function reactionNode({ id, content, author, createdAt }: Reaction): Json {
  return {
    id: nodeId("REA", id),
    content: CONTENTS.get(content) ?? content.toUpperCase(),
    createdAt: createdAt ?? now(),
    user: user(author),
  };
}

/**
 * `databaseId` is an Int, which ids of comments and reviews outgrew: GitHub's own deprecation says
 * so.
 */
function numbered(id: number): Json {
  return { databaseId: id, fullDatabaseId: String(id) };
}

/** Of a field of type `User`: GitHub shows nobody for what an App does. */
function user(person: Person): Json | null {
  return person.type === "User" ? actor(person) : null;
}

/** GraphQL leaves out the `[bot]` that REST writes. */
function actor({ login, id, type, isGone }: Person): Json | null {
  if (isGone === true) return null;
  return { __typename: type, login: type === "Bot" ? login.replace(/\[bot\]$/, "") : login, databaseId: id };
}
