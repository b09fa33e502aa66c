// The App's own account at GitHub, for set-up: creates it, reads it, sets its webhook.
import type { Octokit } from "@octokit/rest";
import { Transient } from "../../domain/errors.ts";
import type { FreshApp, RegisteredApp } from "../../ports/registration.ts";
import { translated } from "./translate-error.ts";

/**
 * The App's slug, such as `kodiai`: its account in comments is `kodiai[bot]`. The client
 * authenticates as the App, as in the functions below. Throws Transient when GitHub does not
 * answer, or its answer is cut off; Error when it does not know the App.
 */
export async function appSlug(app: Pick<Octokit, "request">, signal?: AbortSignal): Promise<string> {
  const { data } = await translated(() => app.request("GET /app", { request: { signal } }));
  // Unknown credentials get 401 or 404. An answer that is cut off has no name.
  if (data?.slug === undefined) throw new Transient("GitHub's answer about the app could not be read");
  return data.slug;
}

/** The App that a person confirmed. GitHub returns it once; throws for any other code. */
export async function convertManifest(github: Octokit, code: string): Promise<FreshApp> {
  const { data } = await translated(() => github.rest.apps.createFromManifest({ code }));
  return {
    appId: data.id,
    slug: data.slug ?? "",
    privateKey: data.pem,
    webhookSecret: data.webhook_secret,
    clientId: data.client_id,
    clientSecret: data.client_secret,
  };
}

/** @throws as `appSlug` */
export function registeredApp({ rest: { apps } }: Octokit): Promise<RegisteredApp> {
  return translated(async () => {
    const { data } = await apps.getAuthenticated();
    const hook = await apps.getWebhookConfigForApp().catch(() => null);
    const { data: installations } = await apps.listInstallations({ per_page: 100 });
    const deliveries = await apps.listWebhookDeliveries({ per_page: 1 }).catch(() => null);
    const newest = deliveries?.data[0];
    return {
      slug: data?.slug ?? "",
      permissions: data?.permissions ?? {},
      events: data?.events ?? [],
      webhookUrl: hook?.data.url ?? null,
      installations: installations.map(({ id, account }) => ({
        id,
        account: account === null ? "" : "login" in account ? account.login : (account as { name: string }).name,
      })),
      lastDelivery: newest === undefined ? null : { event: newest.event, status: newest.status_code },
    };
  });
}

/** Sets the webhook's address and secret; either may be left unchanged. */
export async function setWebhook(
  app: Octokit,
  hook: { readonly url?: string; readonly secret?: string },
): Promise<void> {
  // As `data`: Octokit would send the request, with credentials, to a parameter called `url`.
  const data = { ...hook, content_type: "json", insecure_ssl: "0" };
  await translated(() => app.request("PATCH /app/hook/config", { data }));
}
