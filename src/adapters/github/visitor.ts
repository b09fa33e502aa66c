// Who logs in: GitHub's web flow of a GitHub App. The token of the person answers one question, who they are, and is dropped.
import { Octokit } from "@octokit/rest";
import { Transient } from "../../domain/transient.ts";
import type { GitHubLogin, Visitor } from "../../ports/login.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { translate, translated } from "./translate-error.ts";

export interface VisitorOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where GitHub sends the browser back to; the App must name the same. */
  readonly callbackUrl: string;
  /** `https://github.com`, or the address of a GitHub Enterprise Server. */
  readonly webUrl: string;
  readonly apiUrl: string;
  /** Reaches webUrl. */
  readonly webFetch: GuardedFetch;
  /** Reaches apiUrl. */
  readonly apiFetch: GuardedFetch;
}

/** GitHub's words for a code that nobody may use (any more): docs.github.com, "Troubleshooting OAuth app access token request errors". */
const OF_THE_CODE: ReadonlySet<unknown> = new Set(["bad_verification_code", "unverified_user_email"]);
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The first half of a login: GitHub's page, and who came back from it. */
export function githubVisitors(options: VisitorOptions): Pick<GitHubLogin, "page" | "visitor"> {
  const { clientId, callbackUrl, webUrl } = options;
  return {
    page(state, challenge) {
      const asked = {
        ...{ client_id: clientId, redirect_uri: callbackUrl, state, allow_signup: "false" },
        ...{ code_challenge: challenge, code_challenge_method: "S256" },
      };
      return `${webUrl}/login/oauth/authorize?${new URLSearchParams(asked).toString()}`;
    },
    async visitor(code, verifier) {
      const token = await tokenFor(code, verifier, options);
      return token === null ? null : whoHolds(token, options);
    },
  };
}

async function tokenFor(code: string, verifier: string, options: VisitorOptions): Promise<string | null> {
  const { clientId, clientSecret, callbackUrl, webUrl, webFetch } = options;
  const body = {
    ...{ client_id: clientId, client_secret: clientSecret, code },
    ...{ redirect_uri: callbackUrl, code_verifier: verifier },
  };
  const answer = await webFetch(`${webUrl}/login/oauth/access_token`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", "user-agent": "kodiai" },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw translate(error, Date.now());
  });
  if (answer.status >= 500 || answer.status === 429)
    throw new Transient(`GitHub answered ${answer.status} to a login`, null);
  const said: unknown = await answer.json().catch(() => null);
  const { access_token: token, error } = (said ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof token === "string" && token !== "") return token;
  if (OF_THE_CODE.has(error)) return null;
  const why = typeof error === "string" ? error.slice(0, 100) : `status ${answer.status}`;
  throw new Error(
    `GitHub refuses logins (${why}): check GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, and that the App's callback URL is ${callbackUrl}`,
  );
}

async function whoHolds(token: string, { apiUrl, apiFetch }: VisitorOptions): Promise<Visitor> {
  const github = new Octokit({
    ...{ auth: token, baseUrl: apiUrl, userAgent: "kodiai", log: SILENT },
    request: { fetch: apiFetch },
  });
  return translated(async () => {
    const { data } = await github.rest.users.getAuthenticated();
    return { id: data.id, login: data.login };
  });
}
