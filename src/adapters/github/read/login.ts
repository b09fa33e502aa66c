// Logs visitors in by the web flow of a GitHub App, and reads with their own token, at their rate
// limit, in which repositories they may write.
import type { Octokit } from "@octokit/rest";
import { LRUCache } from "lru-cache";
import { OutOfReach, Transient } from "../../../domain/errors.ts";
import type { RepoKey } from "../../../domain/memory.ts";
import type { GitHubLogin } from "../../../ports/login.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import { PAGE, pagesOf } from "../requests.ts";
import { translate, translated } from "../translate-error.ts";

interface VisitorOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where GitHub redirects the browser; the App must name the same. */
  readonly callbackUrl: string;
  /** `https://github.com`, or the address of a GitHub Enterprise Server. */
  readonly webUrl: string;
  /** Reaches webUrl. */
  readonly webFetch: GuardedFetch;
  /** With a visitor's token. */
  readonly clientOf: (token: string) => Octokit;
}

/** docs.github.com, "Troubleshooting OAuth app access token request errors". */
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
      if (granted === null) return null;
      const { data } = await translated(() => options.clientOf(granted.token).rest.users.getAuthenticated());
      return { ...granted, id: data.id, login: data.login };
    },
  };
}

/** `lastsMs` is infinite when the App's tokens do not expire: GitHub then names no end. */
async function tokenFor(
  code: string,
  verifier: string,
  { clientId, clientSecret, callbackUrl, webUrl, webFetch }: VisitorOptions,
): Promise<{ readonly token: string; readonly lastsMs: number } | null> {
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

/** GitHub's answer is cached this long: a visitor who lost access loses the pages within it. */
const COUNTS_MS = 5 * 60_000;
/** Limit for one visitor, so that an account in hundreds of organisations does not block others. */
const MOST_REQUESTS = 50;
const MOST_VISITORS = 10_000;

/** A login's second half, with keys of `host`. Throws without GitHub's answer, never guesses. */
export function githubWriters(
  clientOf: VisitorOptions["clientOf"],
  host: string,
  now: () => number,
): Pick<GitHubLogin, "writable"> {
  const answers = new LRUCache<number, { readonly at: number; readonly keys: ReadonlySet<RepoKey> }>({
    max: MOST_VISITORS,
  });
  return {
    async writable({ id, token }, isFresh) {
      const known = answers.get(id);
      const counts = known !== undefined && now() - known.at < COUNTS_MS && now() >= known.at;
      if (counts && (!isFresh || known.keys.size === 0)) return known.keys;
      const at = now();
      try {
        const keys = await listed(clientOf(token), host);
        answers.set(id, { at, keys });
        return keys;
      } catch (error) {
        if (error instanceof OutOfReach && error.why === "unauthorised") return null;
        throw error;
      }
    },
  };
}

/** By installation of the App that the visitor can see. Suspended ones are left out. */
async function listed(github: Octokit, host: string): Promise<ReadonlySet<RepoKey>> {
  const keys = new Set<RepoKey>();
  let left = MOST_REQUESTS;
  const pages = <Item>(ask: (page: number) => Promise<readonly Item[]>) =>
    pagesOf(left, (page) => {
      left -= 1;
      return ask(page);
    });
  const installations = await translated(() =>
    pages(async (page) => {
      const { data } = await github.rest.apps.listInstallationsForAuthenticatedUser({ per_page: PAGE, page });
      return data.installations;
    }),
  );
  for (const { id } of installations.filter((one) => (one.suspended_at ?? null) === null)) {
    const repositories = await unlessDenied(() =>
      pages(async (page) => {
        const asked = { installation_id: id, per_page: PAGE, page };
        return (await github.rest.apps.listInstallationReposForAuthenticatedUser(asked)).data.repositories;
      }),
    );
    for (const one of repositories ?? []) if (one.permissions?.push === true) keys.add(`${host}/${one.id}`);
  }
  return keys;
}

/** Null for an organisation that denies access from this address: the others count. */
async function unlessDenied<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await translated(work);
  } catch (error) {
    if (error instanceof OutOfReach && error.why !== "unauthorised") return null;
    throw error;
  }
}
