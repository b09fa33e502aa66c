// What a person's own token, made by logging in with the App, may list: where the App is installed,
// and what they may do there. Source: docs.github.com, "REST API endpoints for GitHub App
// installations".
import { Hono } from "hono";
import { type Person, Refusal, type Repository } from "./conversation.ts";
import { type Hub, paged, type RouteContext, type RouteEnv } from "./hub.ts";
import { rightsOf, roleIn } from "./pull-routes.ts";
import { userJson } from "./shapes.ts";

export function userRoutes(hub: Hub, app: { readonly id: number; readonly slug: string }): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  const asker = (c: RouteContext): Person => {
    const { caller } = c.env;
    if (caller.kind !== "person") throw new Refusal(403, "Resource not accessible by integration");
    return caller.person;
  };
  const reached = (owner: string, person: Person): readonly Repository[] =>
    [...hub.repositories.values()].filter(
      (one) => one.owner === owner && !hub.withdrawn.has(one.id) && roleIn(person, one) !== "none",
    );
  routes.get("/user/installations", (c) => {
    const person = asker(c);
    const theirs = [...hub.installations].filter(([owner]) => reached(owner, person).length > 0);
    return paged(hub, c, theirs, (page) => ({
      total_count: theirs.length,
      installations: page.map(([owner, id]) => installationJson(hub, app, owner, id)),
    }));
  });
  routes.get("/user/installations/:id/repositories", (c) => {
    const person = asker(c);
    const owner = [...hub.installations].find(([, id]) => String(id) === c.req.param("id"))?.[0];
    if (owner === undefined) throw new Refusal(404, "Not Found");
    const all = reached(owner, person);
    return paged(hub, c, all, (page) => ({
      total_count: all.length,
      repositories: page.map((one) => ({ ...one.json, permissions: rightsOf(roleIn(person, one)) })),
    }));
  });
  return routes;
}

function installationJson(hub: Hub, app: { readonly id: number; readonly slug: string }, owner: string, id: number) {
  const at = "2026-01-01T00:00:00Z";
  const url = `${hub.apiUrl}/app/installations/${id}`;
  return {
    ...{ id, app_id: app.id, app_slug: app.slug, target_id: id, target_type: "Organization" },
    ...{ repository_selection: "all", events: [], permissions: {}, single_file_name: null },
    ...{ access_tokens_url: `${url}/access_tokens`, repositories_url: `${hub.apiUrl}/installation/repositories` },
    html_url: `https://github.com/organizations/${owner}/settings/installations/${id}`,
    account: userJson({ login: owner, id, type: "Organization" }),
    ...{ created_at: at, updated_at: at, suspended_by: null, suspended_at: null },
  };
}
