// The repositories a visitor may write to, read with the visitor's own token, which uses their rate limit and not the App's.
import type { Octokit } from "@octokit/rest";
import { LRUCache } from "lru-cache";
import { OutOfReach } from "../../../domain/errors.ts";
import type { RepoKey } from "../../../domain/memory.ts";
import type { GitHubLogin } from "../../../ports/login.ts";
import { PAGE, pagesOf } from "../requests.ts";
import { translated } from "../translate-error.ts";

interface WritersOptions {
  /** With a visitor's token. */
  readonly clientOf: (token: string) => Octokit;
  /** `github.com`, or the host of a GitHub Enterprise Server: the first half of a repository's key. */
  readonly host: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** GitHub's answer is cached this long: a visitor who lost access loses the pages within it. */
const COUNTS_MS = 5 * 60_000;
/** Limit for one visitor, so that an account in hundreds of organisations does not block others. */
const MOST_REQUESTS = 50;
const MOST_VISITORS = 10_000;

/** The second half of a login. A missing answer of GitHub is thrown, never guessed. */
export function githubWriters({ clientOf, host, now }: WritersOptions): Pick<GitHubLogin, "writable"> {
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

/** Null for an organisation that denies access from this address, so that the others are unaffected. */
async function unlessDenied<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await translated(work);
  } catch (error) {
    if (error instanceof OutOfReach && error.why !== "unauthorised") return null;
    throw error;
  }
}
