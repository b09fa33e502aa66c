// How an App comes to be: a manifest that a person confirmed becomes credentials, once; and its
// webhook can be looked at and set by the App itself.
import { Hono } from "hono";
import { type Json, Refusal } from "./conversation.ts";
import type { Hub, RouteEnv } from "./hub.ts";
import { userJson } from "./shapes.ts";

/** The App as GitHub hands it over when it is made. */
export interface FreshApp {
  readonly id: number;
  readonly slug: string;
  readonly pem: string;
  readonly webhookSecret: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a person confirmed on GitHub's page, waiting for its conversion: `code` → the manifest. */
export type Confirmed = Map<string, Json>;

export function appSetupRoutes(hub: Hub, confirmed: Confirmed, app: FreshApp): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  routes.post("/app-manifests/:code/conversions", (c) => {
    const manifest = confirmed.get(c.req.param("code"));
    if (manifest === undefined) throw new Refusal(404, "Not Found");
    confirmed.delete(c.req.param("code"));
    const hook = manifest.hook_attributes as { url?: string } | undefined;
    hub.hooks.configure({ url: hook?.url ?? null });
    const at = new Date(0).toISOString();
    const about = {
      node_id: "A_1",
      description: null,
      external_url: "https://example.com",
      created_at: at,
      updated_at: at,
    };
    return c.json(
      {
        ...{ id: app.id, slug: app.slug, name: String(manifest.name), ...about },
        owner: userJson({ login: "kodiai-owner", id: 7, type: "User" }),
        html_url: `https://github.com/apps/${app.slug}`,
        permissions: manifest.default_permissions,
        events: manifest.default_events,
        client_id: app.clientId,
        client_secret: app.clientSecret,
        webhook_secret: app.webhookSecret,
        pem: app.pem,
      },
      201,
    );
  });
  routes.get("/app/hook/config", (c) => c.json(hub.hooks.configuration()));
  routes.patch("/app/hook/config", async (c) => {
    const { url, secret } = (await c.req.json()) as { url?: string; secret?: string };
    hub.hooks.configure({ ...(url === undefined ? {} : { url }), ...(secret === undefined ? {} : { secret }) });
    return c.json(hub.hooks.configuration());
  });
  return routes;
}
