// Who may write where, asked as the App itself: what a person's own token would say ends with it, and permissions end sooner.
import type { Octokit } from "@octokit/rest";
import { LRUCache } from "lru-cache";
import { hasAccess } from "../../domain/command.ts";
import type { RepoKey } from "../../domain/memory.ts";
import { Transient } from "../../domain/transient.ts";
import type { GitHubLogin, Visitor } from "../../ports/login.ts";
import type { Clients, GitHub } from "./clients.ts";
import { accessOf } from "./permissions.ts";
import { translated } from "./translate-error.ts";

export interface WritersOptions {
  /** As the App itself. */
  readonly app: Pick<Octokit, "request">;
  readonly clients: Pick<Clients, "forNames">;
  /** `github.com`, or the host of a GitHub Enterprise Server: the first half of a repository's key. */
  readonly host: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What GitHub said counts for so long: who lost a right loses the pages within it. */
const COUNTS_MS = 5 * 60_000;
const AT_A_TIME = 8;
const PAGE = 100;
/** 100 pages of 100. */
const MOST_PAGES = 100;
const MOST_ANSWERS = 50_000;

/** A repository that an installation reaches, under its name by now. */
interface Reached {
  readonly github: GitHub;
  readonly owner: string;
  readonly name: string;
}

/** The second half of a login. An answer that GitHub does not give is thrown, never guessed. */
export function githubWriters(options: WritersOptions): Pick<GitHubLogin, "writable"> {
  const answers = new LRUCache<string, { readonly at: number; readonly mayWrite: boolean }>({ max: MOST_ANSWERS });
  let reached: { readonly at: number; readonly all: Promise<ReadonlyMap<RepoKey, Reached>> } | null = null;
  const isYoung = (at: number) => options.now() - at < COUNTS_MS && options.now() >= at;

  async function installedOn(): Promise<ReadonlyMap<RepoKey, Reached>> {
    if (reached === null || !isYoung(reached.at)) reached = { at: options.now(), all: listed(options) };
    try {
      return await reached.all;
    } catch (error) {
      reached = null;
      throw error;
    }
  }

  async function mayWrite(visitor: Visitor, key: RepoKey, repo: Reached, isFresh: boolean): Promise<boolean> {
    const id = `${visitor.id} ${visitor.login} ${key}`;
    const known = answers.get(id);
    if (!isFresh && known !== undefined && isYoung(known.at)) return known.mayWrite;
    const at = options.now();
    const answer = await asked(visitor, repo);
    answers.set(id, { at, mayWrite: answer });
    return answer;
  }

  return {
    async writable(visitor, among, isFresh) {
      const all = await installedOn();
      const wanted = [...new Set(among)].flatMap((key) => {
        const repo = all.get(key);
        return repo === undefined ? [] : [{ key, repo }];
      });
      const may = new Set<RepoKey>();
      for (let from = 0; from < wanted.length; from += AT_A_TIME) {
        const some = wanted.slice(from, from + AT_A_TIME);
        const said = await Promise.all(some.map(({ key, repo }) => mayWrite(visitor, key, repo, isFresh)));
        some.forEach(({ key }, at) => {
          if (said[at] === true) may.add(key);
        });
      }
      return may;
    },
  };
}

/** What GitHub denies is no; what it cannot answer now is thrown. */
async function asked(visitor: Visitor, { github, owner, name }: Reached): Promise<boolean> {
  try {
    return hasAccess(await translated(() => accessOf(github, { owner, name }, visitor)), "write");
  } catch (error) {
    if (error instanceof Transient) throw error;
    return false;
  }
}

/** Everything that the App is installed on, by key. Suspended installations are left out. */
async function listed({ app, clients, host }: WritersOptions): Promise<ReadonlyMap<RepoKey, Reached>> {
  const found = new Map<RepoKey, Reached>();
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await translated(() => app.request("GET /app/installations", { per_page: PAGE, page }));
    for (const { id, suspended_at: suspended } of data) {
      const github = (suspended ?? null) === null ? await clients.forNames(id) : null;
      if (github !== null) await addRepositories(github, host, found);
    }
    if (data.length < PAGE) break;
  }
  return found;
}

async function addRepositories(github: GitHub, host: string, found: Map<RepoKey, Reached>): Promise<void> {
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await translated(() =>
      github.rest.apps.listReposAccessibleToInstallation({ per_page: PAGE, page }),
    );
    for (const { id, name, owner } of data.repositories)
      found.set(`${host}/${id}`, { github, owner: owner.login, name });
    if (data.repositories.length < PAGE) return;
  }
}
