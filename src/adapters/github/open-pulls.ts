// The repositories that the App reaches on GitHub and their open pull requests: installations as the App, names of repositories
// with a token that reads names, pull requests with a token for that one repository.
import type { Octokit } from "@octokit/rest";
import type { Repo } from "../../domain/job.ts";
import type { OpenPull, OpenPulls } from "../../ports/missed-events.ts";
import type { ClientOptions, Clients, GitHub } from "./clients.ts";
import { leaveEnough, type Paced, pacer, unlessStatus } from "./requests.ts";
import { translated } from "./translate-error.ts";

interface OpenPullsOptions {
  /** Authenticated as the App. */
  readonly app: ClientOptions["app"];
  readonly clients: Pick<Clients, "forNames" | "forReading">;
  /** `github.com`, or the host of a GitHub Enterprise Server. */
  readonly host: string;
  /** Milliseconds between the beginnings of two requests. GitHub's secondary limit: 900 points a minute, a GET is one. */
  readonly paceMs: number;
}

const PAGE = 100;
/** 10,000 installations or repositories; 1,000 pull requests with activity. */
const MOST_PAGES = 100;
const MOST_PULL_PAGES = 10;

/** The port. Its methods throw Transient when GitHub cannot answer now. */
export function githubOpenPulls(options: OpenPullsOptions): OpenPulls {
  const paced = pacer(options.paceMs);
  return {
    installations: () => translated(() => installations(options, paced)),
    repositories: (installationId) => translated(() => repositories(options, installationId, paced)),
    open: (installationId, repo, since) => translated(() => open(options, installationId, repo, since, paced)),
  };
}

async function installations({ app }: OpenPullsOptions, paced: Paced): Promise<readonly number[]> {
  const found: number[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await paced(() => app.request("GET /app/installations", { per_page: PAGE, page }));
    for (const { id, suspended_at } of data) if (suspended_at === null || suspended_at === undefined) found.push(id);
    if (data.length < PAGE) break;
  }
  return found;
}

async function repositories(
  { clients, host }: OpenPullsOptions,
  installationId: number,
  paced: Paced,
): Promise<readonly Repo[]> {
  const github = await clients.forNames(installationId);
  if (github === null) return [];
  const found: Repo[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const answer = await paced(() => github.rest.apps.listReposAccessibleToInstallation({ per_page: PAGE, page }));
    leaveEnough(answer.headers);
    const listed = answer.data.repositories;
    // Archived repositories accept no comments.
    found.push(...listed.filter(({ archived }) => archived !== true).map((one) => repoOf(host, one)));
    if (listed.length < PAGE) break;
  }
  return found;
}

type Listed = Awaited<ReturnType<Octokit["rest"]["repos"]["get"]>>["data"];

function repoOf(host: string, listed: Pick<Listed, "id" | "name" | "owner" | "private" | "visibility">): Repo {
  const { id, name, owner, private: isPrivate, visibility } = listed;
  const seen = isPrivate ? (visibility === "internal" ? "internal" : "private") : "public";
  return { host, id, ownerId: owner.id, owner: owner.login, name, visibility: seen };
}

async function open(
  { clients }: OpenPullsOptions,
  installationId: number,
  repo: Repo,
  since: number,
  paced: Paced,
): Promise<readonly OpenPull[] | null> {
  const reader = await clients.forReading(installationId, repo, "pull requests");
  if (reader === null) return null;
  const [owner = "", name = ""] = reader.name.split("/");
  const found: OpenPull[] = [];
  for (let page = 1; page <= MOST_PULL_PAGES; page += 1) {
    const pulls = await pageOf(reader.github, { owner, repo: name, page }, paced);
    if (pulls === null) return null;
    found.push(...pulls.filter(({ updatedAt }) => updatedAt >= since));
    if (pulls.length < PAGE || pulls.some(({ updatedAt }) => updatedAt < since)) break;
  }
  return found;
}

async function pageOf(
  github: GitHub,
  at: { readonly owner: string; readonly repo: string; readonly page: number },
  paced: Paced,
): Promise<readonly OpenPull[] | null> {
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

/** Missing, withdrawn or blocked: a retry would not help. Rate limits are recognised by their headers earlier. */
const REFUSED = [404, 410, 451];
