// The one GraphQL mutation that our app sends: folding a comment away. What is not it, the fake does not understand.
import { Hono } from "hono";
import { isJson, type Person } from "./conversation.ts";
import { authorOf, bodyOf, type Hub, type RouteEnv } from "./hub.ts";
import { nodeId } from "./shapes.ts";

const MUTATION = /^\s*mutation\s*\(\$id: ID!\)\s*\{\s*minimizeComment\(input: \{subjectId: \$id, classifier: (\w+)\}\)/;
const CLASSIFIERS = ["ABUSE", "DUPLICATE", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM"];

export function graphqlRoutes(hub: Hub): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  // GitHub answers 200 whatever happens.
  routes.post("/graphql", async (c) => {
    const { query, variables } = await bodyOf(c);
    const [, classifier = ""] = MUTATION.exec(String(query)) ?? [];
    const id = isJson(variables) ? String(variables.id) : "";
    const failed = (type: string, message: string) => c.json({ data: null, errors: [{ type, message }] });
    if (!CLASSIFIERS.includes(classifier)) return failed("undefinedField", "The fake does not understand this query");
    const author = authorOfNode(hub, id);
    if (author === null) return failed("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
    if (author !== authorOf(c)) return failed("FORBIDDEN", "Resource not accessible by integration");
    hub.minimized.set(id, classifier);
    return c.json({ data: { minimizeComment: { minimizedComment: { isMinimized: true } } } });
  });
  return routes;
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
