// Login of visitors: GitHub's web flow of a GitHub App.
import { Transient } from "../../../domain/errors.ts";
import type { GitHubLogin, Visitor } from "../../../ports/login.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import { quietOctokit } from "../quiet-octokit.ts";
import { translate, translated } from "../translate-error.ts";

interface VisitorOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where GitHub redirects the browser; the App must name the same. */
  readonly callbackUrl: string;
  /** `https://github.com`, or the address of a GitHub Enterprise Server. */
  readonly webUrl: string;
  readonly apiUrl: string;
  /** Reaches webUrl. */
  readonly webFetch: GuardedFetch;
  /** Reaches apiUrl. */
  readonly apiFetch: GuardedFetch;
}

/** GitHub's errors for an unusable code: docs.github.com, "Troubleshooting OAuth app access token request errors". */
const OF_THE_CODE: ReadonlySet<unknown> = new Set(["bad_verification_code", "unverified_user_email"]);

/** The first half of a login: GitHub's page, and the person who comes back from it. */
export function githubVisitors(options: VisitorOptions): Pick<GitHubLogin, "page" | "visitor"> {
  const { clientId, callbackUrl, webUrl } = options;
  return {
    page(state, challenge) {
      const asked = {
        client_id: clientId,
        redirect_uri: callbackUrl,
        state,
        allow_signup: "false",
        code_challenge: challenge,
        code_challenge_method: "S256",
      };
      return `${webUrl}/login/oauth/authorize?${new URLSearchParams(asked).toString()}`;
    },
    async visitor(code, verifier) {
      const granted = await tokenFor(code, verifier, options);
      return granted === null ? null : { ...granted, ...(await whoHolds(granted.token, options)) };
    },
  };
}

interface UserToken {
  readonly token: string;
  /** Infinite when the App's tokens do not expire: GitHub then names no end. */
  readonly lastsMs: number;
}

async function tokenFor(code: string, verifier: string, options: VisitorOptions): Promise<UserToken | null> {
  const { clientId, clientSecret, callbackUrl, webUrl, webFetch } = options;
  const body = {
    client_id: clientId,
    client_secret: clientSecret,
    code,
    redirect_uri: callbackUrl,
    code_verifier: verifier,
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
  const parsed: unknown = await answer.json().catch(() => null);
  const { access_token: token, expires_in: seconds, error } = (parsed ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof token === "string" && token !== "")
    return { token, lastsMs: typeof seconds === "number" ? seconds * 1_000 : Number.POSITIVE_INFINITY };
  if (OF_THE_CODE.has(error)) return null;
  const why = typeof error === "string" ? error.slice(0, 100) : `status ${answer.status}`;
  throw new Error(
    `GitHub refuses logins (${why}): check GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, and that the App's callback URL is ${callbackUrl}`,
  );
}

async function whoHolds(token: string, options: VisitorOptions): Promise<Visitor> {
  return translated(async () => {
    const { data } = await quietOctokit(options.apiUrl, options.apiFetch, {
      auth: token,
    }).rest.users.getAuthenticated();
    return { id: data.id, login: data.login };
  });
}
