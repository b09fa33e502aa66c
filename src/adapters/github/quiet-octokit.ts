import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import type { AppCredentials } from "../../ports/registration.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

/** A client that logs nothing: the default one prints refusals into a log of JSON lines. */
export function quietOctokit(
  apiUrl: string,
  fetch: GuardedFetch,
  more: ConstructorParameters<typeof Octokit>[0] = {},
): Octokit {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return new Octokit({ baseUrl: apiUrl, userAgent: "kodiai", request: { fetch }, log, ...more });
}

/** A client that authenticates as the App. */
export function appClient(credentials: AppCredentials, apiUrl: string, fetch: GuardedFetch): Octokit {
  return quietOctokit(apiUrl, fetch, { authStrategy: createAppAuth, auth: credentials });
}
