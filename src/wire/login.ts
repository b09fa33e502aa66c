// Joins the dashboard's login to GitHub: who comes back from its page, and where they may write.
import { githubVisitors, visitorClient } from "../adapters/github/visitor.ts";
import { githubWriters } from "../adapters/github/writers.ts";
import { LOGIN_CALLBACK } from "../config/login-address.ts";
import type { GitHubLogin } from "../ports/login.ts";
import { egressTo } from "./egress.ts";
import { neverTell } from "./secrets.ts";

/** The client of the GitHub App, and where people reach the dashboard. */
export interface LoginChoice {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Without a slash at the end. */
  readonly origin: string;
}

/** @param at `host` is github.com or a GitHub Enterprise Server's, `apiUrl` the base address of its REST API */
export function githubLogin(
  { clientId, clientSecret, origin }: LoginChoice,
  { host, apiUrl }: { readonly host: string; readonly apiUrl: string },
): GitHubLogin {
  neverTell(clientSecret);
  const webUrl = webUrlOf(apiUrl);
  const callbackUrl = origin + LOGIN_CALLBACK;
  const api = { apiUrl, apiFetch: egressTo(apiUrl) };
  return {
    origin,
    ...githubVisitors({
      ...{ clientId, clientSecret, callbackUrl, webUrl, webFetch: egressTo(webUrl) },
      ...api,
    }),
    ...githubWriters({ clientOf: (token) => visitorClient(token, api), host, now: Date.now }),
  };
}

/** Of `https://api.github.com` it is `https://github.com`; of `https://HOST/api/v3` it is `https://HOST`. */
export function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl);
  return `${protocol}//${host.replace(/^api\./, "")}`;
}
