// The conversation of a pull request (GitHub's issue comments) and reactions to anything that was
// said.
import { Hono } from "hono";
import { type IssueComment, now, type Pull, type Reaction, Refusal } from "./conversation.ts";
import {
  authorOf,
  bodyOf,
  type Hub,
  invalid,
  paged,
  pullOf,
  type RouteContext,
  type RouteEnv,
  repositoryOf,
  textOf,
} from "./hub.ts";
import { inOrder } from "./lists.ts";
import { commentOf as reviewCommentOf } from "./review-routes.ts";
import { issueCommentJson, REACTIONS, reactionJson } from "./shapes.ts";

export function commentRoutes(hub: Hub): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  const issues = "/repos/:owner/:repo/issues";

  routes.get(`${issues}/:number{[0-9]+}`, (c) => {
    const { owner, name, issues: known, pulls } = repositoryOf(hub, c);
    const number = Number(c.req.param("number"));
    const issue = known.get(number);
    const isPull = pulls.some((pull) => pull.number === number);
    if (issue === undefined && !isPull) throw new Refusal(404, "Not Found");
    const repository_url = `https://api.github.com/repos/${owner}/${name}`;
    return c.json({ number, repository_url, ...issue, ...(isPull ? { pull_request: {} } : {}) });
  });

  routes.get(`${issues}/:number{[0-9]+}/comments`, (c) => {
    const pull = pullOf(hub, c);
    return paged(hub, c, hub.listed(pull.issueComments), (page) =>
      page.map((comment) => issueCommentJson(pull, comment)),
    );
  });

  routes.post(`${issues}/:number{[0-9]+}/comments`, async (c) => {
    const pull = pullOf(hub, c);
    if (pull.locked) throw new Refusal(403, "Unable to create comment because issue is locked.");
    const body = textOf(await bodyOf(c), "IssueComment");
    const fresh = { editedTimes: 0, createdAt: now(), reactions: [] };
    const comment: IssueComment = { id: hub.nextId(), author: authorOf(c), body, ...fresh };
    pull.issueComments.push(comment);
    return c.json(issueCommentJson(pull, comment), 201);
  });

  routes.get(`${issues}/comments`, (c) => {
    const all = repositoryOf(hub, c).pulls.flatMap((pull) =>
      pull.issueComments.map((comment) => issueCommentJson(pull, comment)),
    );
    return paged(hub, c, inOrder(c, all), (page) => page);
  });

  routes.get(`${issues}/comments/:comment`, (c) => {
    const { pull, comment } = commentOf(hub, c);
    return c.json(issueCommentJson(pull, comment));
  });

  routes.patch(`${issues}/comments/:comment`, async (c) => {
    const { pull, comment } = commentOf(hub, c);
    if (comment.author !== authorOf(c)) throw new Refusal(403, "Resource not accessible by integration");
    comment.body = textOf(await bodyOf(c), "IssueComment");
    comment.editedTimes++;
    return c.json(issueCommentJson(pull, comment));
  });

  routes.delete(`${issues}/comments/:comment`, (c) => {
    const { pull, comment } = commentOf(hub, c);
    pull.issueComments.splice(pull.issueComments.indexOf(comment), 1);
    return c.body(null, 204);
  });

  const reactions = (path: string, find: (c: RouteContext) => Reaction[]) => {
    routes.get(path, (c) => paged(hub, c, find(c), (page) => page.map(reactionJson)));
    routes.post(path, async (c) => {
      const { content } = await bodyOf(c);
      if (typeof content !== "string" || !REACTIONS.includes(content)) {
        throw invalid("Reaction", "content", "invalid", "content is not one of the known reactions");
      }
      const author = authorOf(c);
      const given = find(c);
      const same = given.find((one) => one.author === author && one.content === content);
      if (same) return c.json(reactionJson(same));
      const reaction: Reaction = { id: hub.nextId(), author, content };
      given.push(reaction);
      return c.json(reactionJson(reaction), 201);
    });
  };
  routes.delete(`${issues}/:number{[0-9]+}/reactions/:reaction`, (c) => {
    const given = pullOf(hub, c).reactions;
    const at = given.findIndex(({ id }) => id === Number(c.req.param("reaction")));
    if (at === -1 || given[at]?.author !== authorOf(c)) throw new Refusal(404, "Not Found");
    given.splice(at, 1);
    return c.body(null, 204);
  });
  reactions(`${issues}/:number{[0-9]+}/reactions`, (c) => pullOf(hub, c).reactions);
  reactions(`${issues}/comments/:comment/reactions`, (c) => commentOf(hub, c).comment.reactions);
  reactions("/repos/:owner/:repo/pulls/comments/:comment/reactions", (c) => reviewCommentOf(hub, c).comment.reactions);

  return routes;
}

function commentOf(hub: Hub, c: RouteContext): { pull: Pull; comment: IssueComment } {
  const id = Number(c.req.param("comment"));
  for (const pull of repositoryOf(hub, c).pulls) {
    const comment = pull.issueComments.find((one) => one.id === id);
    if (comment) return { pull, comment };
  }
  throw new Refusal(404, "Not Found");
}
