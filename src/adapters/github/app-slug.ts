import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { translated } from "./translate-error.ts";

/**
 * Asks GitHub who this app is.
 *
 * @param privateKey PEM
 * @returns the app's slug, such as `kodiai`: its account in comments is `kodiai[bot]`
 * @throws Transient when GitHub does not answer; RequestError 401 or 404 when the credentials are wrong
 */
export async function appSlug(
  credentials: { readonly appId: number; readonly privateKey: string },
  apiUrl: string,
  fetch: GuardedFetch,
): Promise<string> {
  const github = appClient(credentials, apiUrl, fetch);
  const { data } = await translated(() => github.rest.apps.getAuthenticated());
  return data?.slug ?? "";
}

/**
 * A client that asks as the app itself.
 *
 * @param credentials the private key in PEM
 */
export function appClient(
  credentials: { readonly appId: number; readonly privateKey: string },
  apiUrl: string,
  fetch: GuardedFetch,
): Octokit {
  return new Octokit({ authStrategy: createAppAuth, auth: credentials, baseUrl: apiUrl, request: { fetch } });
}
