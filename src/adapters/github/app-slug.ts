import { createAppAuth } from "@octokit/auth-app";
import type { Octokit } from "@octokit/rest";
import { Transient } from "../../domain/errors.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { quietOctokit } from "./quiet-octokit.ts";
import { translated } from "./translate-error.ts";

/** The private key in PEM. */
export interface AppCredentials {
  readonly appId: number;
  readonly privateKey: string;
}

/**
 * Reads this App's slug from GitHub.
 *
 * @param github a client that authenticates as the App
 * @returns the slug, such as `kodiai`: its account in comments is `kodiai[bot]`
 * @throws Transient when GitHub does not answer, or its answer is cut off; Error when it does not know the App
 */
export async function appSlug(github: Pick<Octokit, "request">, signal?: AbortSignal): Promise<string> {
  const { data } = await translated(() => github.request("GET /app", { request: { signal } }));
  // GitHub answers unknown credentials with 401 or 404. An answer that is cut off reads like one without a name.
  if (data?.slug === undefined) throw new Transient("GitHub's answer about the app could not be read");
  return data.slug;
}

/** A client that authenticates as the App. */
export function appClient(credentials: AppCredentials, apiUrl: string, fetch: GuardedFetch): Octokit {
  return quietOctokit(apiUrl, fetch, { authStrategy: createAppAuth, auth: credentials });
}
