import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { Transient } from "../../domain/errors.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { translated } from "./translate-error.ts";

/** The private key in PEM. */
export interface AppCredentials {
  readonly appId: number;
  readonly privateKey: string;
}

/**
 * Asks GitHub who this app is.
 *
 * @param github a client that asks as the app itself
 * @returns the app's slug, such as `kodiai`: its account in comments is `kodiai[bot]`
 * @throws Transient when GitHub does not answer, or its answer broke off; Error when it does not know the app
 */
export async function appSlug(github: Pick<Octokit, "request">, signal?: AbortSignal): Promise<string> {
  const { data } = await translated(() => github.request("GET /app", { request: { signal } }));
  // Credentials that GitHub does not know are answered 401 or 404. An answer that broke off reads like one without a name.
  if (data?.slug === undefined) throw new Transient("GitHub's answer about the app could not be read");
  return data.slug;
}

/** A client that asks as the app itself. */
export function appClient(credentials: AppCredentials, apiUrl: string, fetch: GuardedFetch): Octokit {
  return new Octokit({
    authStrategy: createAppAuth,
    auth: credentials,
    baseUrl: apiUrl,
    userAgent: "kodiai",
    request: { fetch },
    // Without it each refusal is a line of the console, in the middle of a log of JSON lines.
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
}
