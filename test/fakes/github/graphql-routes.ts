// The two GraphQL operations that REST has no word for: which thread a comment begins, and marking it as resolved.
import { Hono } from "hono";
import { isJson, type Json } from "./conversation.ts";
import { bodyOf, type Hub, type RouteEnv } from "./hub.ts";

export function graphqlRoutes(hub: Hub): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  routes.post("/graphql", async (c) => {
    const { query, variables } = await bodyOf(c);
    const given = isJson(variables) ? variables : {};
    if (String(query).includes("resolveReviewThread")) {
      // Observed on github.com: `pull_requests: write` does not suffice (community discussion 44650).
      const may = c.env.caller.kind === "installation" && c.env.caller.mayWriteCode;
      return c.json(may ? resolved(hub, String(given.thread)) : FORBIDDEN);
    }
    return c.json({ data: { repository: { pullRequest: { reviewThreads: threads(hub, given) } } } });
  });
  return routes;
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

function threads(hub: Hub, { owner, name, number }: Json): Json {
  const repository = hub.repositories.get(`${owner}/${name}`.toLowerCase());
  const pull = repository?.pulls.find((one) => one.number === number);
  const roots = (pull?.comments ?? []).filter(({ inReplyTo }) => inReplyTo === null);
  const nodes = roots.map(({ id }) => ({
    id: `PRRT_${id}`,
    isResolved: pull?.resolved.has(id) === true,
    comments: { nodes: [{ databaseId: id }] },
  }));
  return { nodes, pageInfo: { hasNextPage: false, endCursor: null } };
}

function resolved(hub: Hub, thread: string): Json {
  const id = Number(thread.replace("PRRT_", ""));
  for (const pull of [...hub.repositories.values()].flatMap(({ pulls }) => pulls)) {
    if (pull.comments.some((comment) => comment.id === id)) pull.resolved.add(id);
  }
  return { data: { resolveReviewThread: { thread: { isResolved: true } } } };
}
