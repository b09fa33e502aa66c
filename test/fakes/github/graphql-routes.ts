// The three GraphQL operations that REST has no word for: which thread a comment begins, marking it as resolved, and folding a
// comment away. What is none of them, the fake does not understand.
import { type Context, Hono } from "hono";
import { isJson, type Json, type Person, type Pull } from "./conversation.ts";
import { feedbackAnswer, reactionsAnswer } from "./feedback-acts.ts";
import { authorOf, bodyOf, type Hub, type RouteEnv } from "./hub.ts";
import { manyPulls } from "./lists.ts";
import { nodeId } from "./shapes.ts";

const FOLDING = /^\s*mutation\s*\(\$id: ID!\)\s*\{\s*minimizeComment\(input: \{subjectId: \$id, classifier: (\w+)\}\)/;
const CLASSIFIERS = ["ABUSE", "DUPLICATE", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM"];

export function graphqlRoutes(hub: Hub): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  // GitHub answers 200 whatever happens.
  routes.post("/graphql", async (c) => {
    const { query, variables } = await bodyOf(c);
    const given = isJson(variables) ? variables : {};
    const text = String(query);
    if (text.includes("resolveReviewThread")) {
      // Observed on github.com: `pull_requests: write` does not suffice (community discussion 44650).
      const may = c.env.caller.kind === "installation" && c.env.caller.mayWriteCode;
      return c.json(may ? resolved(hub, String(given.thread)) : FORBIDDEN);
    }
    if (text.includes("reactions(first: 100, after: $after)")) return c.json(reactionsAnswer(hub, given));
    if (text.includes("dismissalMessage")) return c.json(feedbackAnswer(hub, given));
    if (text.includes("reviewThreads")) {
      const many = manyPulls(String(query), (number) => pullAnswer(hub, { ...given, number }));
      if (many !== null) return c.json({ data: { repository: many } });
      return c.json({ data: { repository: { pullRequest: { reviewThreads: threads(hub, given) } } } });
    }
    return c.json(folded(hub, c, text, String(given.id)));
  });
  return routes;
}

function folded(hub: Hub, c: Context<RouteEnv>, query: string, id: string): Json {
  const [, classifier = ""] = FOLDING.exec(query) ?? [];
  const failed = (type: string, message: string) => ({ data: null, errors: [{ type, message }] });
  if (!CLASSIFIERS.includes(classifier)) return failed("undefinedField", "The fake does not understand this query");
  const author = authorOfNode(hub, id);
  if (author === null) return failed("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
  if (author !== authorOf(c)) return failed("FORBIDDEN", "Resource not accessible by integration");
  hub.minimized.set(id, classifier);
  return { data: { minimizeComment: { minimizedComment: { isMinimized: true } } } };
}

const FORBIDDEN = {
  data: { resolveReviewThread: null },
  errors: [
    {
      type: "FORBIDDEN",
      path: ["resolveReviewThread"],
      locations: [{ line: 1, column: 32 }],
      message: "Resource not accessible by integration",
    },
  ],
};

function pullOf(hub: Hub, { owner, name, number }: Json): Pull | undefined {
  const repository = hub.repositories.get(`${owner}/${name}`.toLowerCase());
  return repository?.pulls.find((one) => one.number === number);
}

/** How a pull request ended, and who resolved what on it. */
function pullAnswer(hub: Hub, given: Json): Json {
  const pull = pullOf(hub, given);
  const { author, number, merged } = pull ?? { author: null, number: given.number, merged: false };
  const by = author === null || author.isGone === true ? null : userNode(author);
  return { number, merged, authorAssociation: author?.association, author: by, reviewThreads: threads(hub, given) };
}

/** Only a person has an id where the query asks for one `on User`. */
function userNode({ login, id, type }: Person): Json {
  return type === "User" ? { login, databaseId: id } : { login: login.replace(/\[bot\]$/, "") };
}

function threads(hub: Hub, given: Json): Json {
  const pull = pullOf(hub, given);
  const roots = (pull?.comments ?? []).filter(({ inReplyTo }) => inReplyTo === null);
  const nodes = roots.map(({ id }) => ({
    id: `PRRT_${id}`,
    isResolved: pull?.resolved.has(id) === true,
    resolvedBy: resolverOf(pull, id),
    comments: { nodes: [{ databaseId: id }] },
  }));
  return { nodes, pageInfo: { hasNextPage: false, endCursor: null } };
}

function resolverOf(pull: Pull | undefined, id: number): Json | null {
  const by = pull?.resolvedBy.get(id);
  return by === undefined || by.type !== "User" || pull?.resolved.has(id) !== true ? null : userNode(by);
}

function resolved(hub: Hub, thread: string): Json {
  const id = Number(thread.replace("PRRT_", ""));
  for (const pull of [...hub.repositories.values()].flatMap(({ pulls }) => pulls)) {
    if (pull.comments.some((comment) => comment.id === id)) pull.resolved.add(id);
  }
  return { data: { resolveReviewThread: { thread: { isResolved: true } } } };
}

function authorOfNode(hub: Hub, id: string): Person | null {
  for (const pull of [...hub.repositories.values()].flatMap(({ pulls }) => pulls)) {
    const said = [
      ...pull.reviews.map((one) => ({ node: nodeId("PRR", one.id), author: one.author })),
      ...pull.comments.map((one) => ({ node: nodeId("PRRC", one.id), author: one.author })),
      ...pull.issueComments.map((one) => ({ node: nodeId("IC", one.id), author: one.author })),
    ];
    const found = said.find(({ node }) => node === id);
    if (found) return found.author;
  }
  return null;
}
