// The App's own account at GitHub, for set-up: creating it from a manifest, reading it, configuring its webhook.
import type { AppCredentials, FreshApp, PastSize, RegisteredApp } from "../../ports/registration.ts";
import { appClient } from "./app-slug.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { quietOctokit } from "./quiet-octokit.ts";
import { unlessStatus } from "./requests.ts";
import { translated } from "./translate-error.ts";

/**
 * Fetches the App that a person confirmed on GitHub's page. GitHub returns it once, within an hour.
 *
 * @throws Error when the code is unknown, used or too old
 */
export async function convertManifest(code: string, apiUrl: string, fetch: GuardedFetch): Promise<FreshApp> {
  const github = quietOctokit(apiUrl, fetch);
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
export async function registeredApp(at: AppCredentials, apiUrl: string, fetch: GuardedFetch): Promise<RegisteredApp> {
  const github = appClient(at, apiUrl, fetch);
  return translated(async () => {
    const { data } = await github.rest.apps.getAuthenticated();
    const hook = await github.rest.apps.getWebhookConfigForApp().catch(() => null);
    const { data: installations } = await github.rest.apps.listInstallations({ per_page: 100 });
    const deliveries = await github.rest.apps.listWebhookDeliveries({ per_page: 1 }).catch(() => null);
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
  at: AppCredentials,
  hook: { readonly url?: string; readonly secret?: string },
  apiUrl: string,
  fetch: GuardedFetch,
): Promise<void> {
  const github = appClient(at, apiUrl, fetch);
  // As `data`: Octokit would send the request, with credentials, to a parameter called `url`.
  const data = { ...hook, content_type: "json", insecure_ssl: "0" };
  await translated(() => github.request("PATCH /app/hook/config", { data }));
}

/**
 * A token that can only read a repository's pull requests, and the number of comments there.
 *
 * @returns null when the App is not installed there
 */
export async function pastOf(
  at: AppCredentials,
  { owner, name }: { readonly owner: string; readonly name: string },
  apiUrl: string,
  fetch: GuardedFetch,
): Promise<{ readonly token: string; readonly size: PastSize } | null> {
  const app = appClient(at, apiUrl, fetch);
  return translated(async () => {
    const where = { owner, repo: name };
    const found = await unlessStatus([404], () => app.rest.apps.getRepoInstallation(where));
    if (found === null) return null;
    const { data } = await app.rest.apps.createInstallationAccessToken({
      installation_id: found.data.id,
      repositories: [name],
      permissions: { metadata: "read", pull_requests: "read" },
    });
    const github = quietOctokit(apiUrl, fetch, { auth: data.token });
    const one = { ...where, per_page: 1 };
    const [lines, conversation, pulls] = await Promise.all([
      github.rest.pulls.listReviewCommentsForRepo(one).then(countOf),
      github.rest.issues.listCommentsForRepo(one).then(countOf),
      github.rest.pulls.list({ ...one, state: "all" }).then(countOf),
    ]);
    return { token: data.token, size: { lineComments: lines, conversation, pulls } };
  });
}

/** With one item a page, the number of the last page is the length of the list. */
function countOf({
  data,
  headers,
}: {
  readonly data: readonly unknown[];
  readonly headers: { readonly link?: string };
}): number {
  const last = /[?&]page=(\d+)[^>]*>; rel="last"/.exec(headers.link ?? "")?.[1];
  return last === undefined ? data.length : Number(last);
}
