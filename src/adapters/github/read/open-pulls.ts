// The repositories that the App reaches on GitHub and their open pull requests: installations as the App, names of repositories
// with a token that reads names, pull requests with a token for that one repository.
import type { OpenPull, OpenPulls } from "../../../ports/missed-events.ts";
import type { ClientOptions, Clients, GitHub } from "../clients.ts";
import { leaveEnough, PAGE, pacer, pagesOf, repoOf, unlessStatus } from "../requests.ts";
import { translatedMethods } from "../translate-error.ts";

/** 10,000 installations or repositories; 1,000 pull requests with activity. */
const MOST_PAGES = 100;
const MOST_PULL_PAGES = 10;

/**
 * The port. Its methods throw Transient when GitHub cannot answer now.
 *
 * @param host `github.com`, or the host of a GitHub Enterprise Server
 */
export function githubOpenPulls(
  app: ClientOptions["app"],
  clients: Pick<Clients, "forNames" | "forReading">,
  host: string,
  paceMs: number,
): OpenPulls {
  const paced = pacer(paceMs);

  async function pageOf(github: GitHub, at: { readonly owner: string; readonly repo: string; readonly page: number }) {
    const newest = { sort: "updated", direction: "desc", state: "open", per_page: PAGE } as const;
    const listed = await unlessStatus(REFUSED, () => paced(() => github.rest.pulls.list({ ...at, ...newest })));
    if (listed === null) return null;
    leaveEnough(listed.headers);
    return listed.data.map(({ number, head, created_at, updated_at }) => ({
      number,
      headSha: head.sha,
      createdAt: Date.parse(created_at),
      updatedAt: Date.parse(updated_at),
    }));
  }

  return translatedMethods<OpenPulls>({
    async installations() {
      const found = await pagesOf(
        MOST_PAGES,
        async (page) => (await paced(() => app.request("GET /app/installations", { per_page: PAGE, page }))).data,
      );
      return found
        .filter(({ suspended_at }) => (suspended_at ?? null) === null)
        .map(({ id, created_at }) => ({ id, createdAt: Date.parse(created_at) }));
    },
    async repositories(installationId) {
      const github = await clients.forNames(installationId);
      if (github === null) return [];
      const listed = await pagesOf(MOST_PAGES, async (page) => {
        const answer = await paced(() => github.rest.apps.listReposAccessibleToInstallation({ per_page: PAGE, page }));
        leaveEnough(answer.headers);
        return answer.data.repositories;
      });
      // Archived repositories accept no comments.
      return listed.filter(({ archived }) => archived !== true).map((one) => repoOf(host, one));
    },
    async open(installationId, repo, since) {
      const reader = await clients.forReading(installationId, repo, "pull requests");
      if (reader === null) return null;
      const [owner = "", name = ""] = reader.name.split("/");
      const found: OpenPull[] = [];
      for (let page = 1; page <= MOST_PULL_PAGES; page += 1) {
        const pulls = await pageOf(reader.github, { owner, repo: name, page });
        if (pulls === null) return null;
        found.push(...pulls.filter(({ updatedAt }) => updatedAt >= since));
        if (pulls.length < PAGE || pulls.some(({ updatedAt }) => updatedAt < since)) break;
      }
      return found;
    },
  });
}

/** Missing, withdrawn or blocked: a retry would not help. Rate limits are recognised by their headers earlier. */
const REFUSED = [404, 410, 451];
