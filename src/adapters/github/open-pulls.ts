// What the App reaches on GitHub, and which pull requests are open there: installations as the App, names of repositories
// with a token that reads names, pull requests with a token for that one repository.
import { setTimeout as wait } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import { Transient } from "../../domain/errors.ts";
import type { Repo } from "../../domain/job.ts";
import type { OpenPull, OpenPulls } from "../../ports/missed.ts";
import type { ClientOptions, Clients, GitHub } from "./clients.ts";
import { translated } from "./translate-error.ts";

export interface OpenPullsOptions {
  /** Authenticated as the App. */
  readonly app: ClientOptions["app"];
  readonly clients: Pick<Clients, "forNames" | "forReading">;
  /** `github.com`, or the host of a GitHub Enterprise Server. */
  readonly host: string;
  /** Milliseconds between the beginnings of two requests. GitHub's secondary limit: 900 points a minute, a GET is one. */
  readonly paceMs: number;
}

const PAGE = 100;
/** 10,000 installations or repositories; 1,000 pull requests that something happened to. */
const MOST_PAGES = 100;
const MOST_PULL_PAGES = 10;
/** The share of an hour's requests that is left to reviews, which come out of the same budget. */
const LEFT_TO_REVIEWS = 0.2;

/** The port. Its methods throw Transient when GitHub cannot answer now. */
export function githubOpenPulls(options: OpenPullsOptions): OpenPulls {
  const paced = pacer(options.paceMs);
  return {
    installations: () => translated(() => installations(options, paced)),
    repositories: (installationId) => translated(() => repositories(options, installationId, paced)),
    open: (installationId, repo, since) => translated(() => open(options, installationId, repo, since, paced)),
  };
}

type Paced = <T extends { readonly headers: object }>(request: () => Promise<T>) => Promise<T>;

function pacer(paceMs: number): Paced {
  let next = 0;
  return async (request) => {
    const pause = next - performance.now();
    if (pause > 0) await wait(pause);
    next = performance.now() + paceMs;
    return request();
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
    // Nothing can be said in an archived one.
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
  try {
    const newest = { sort: "updated", direction: "desc", state: "open", per_page: PAGE } as const;
    const { data, headers } = await paced(() => github.rest.pulls.list({ ...at, ...newest }));
    leaveEnough(headers);
    return data.map(({ number, head, created_at, updated_at }) => ({
      number,
      headSha: head.sha,
      createdAt: Date.parse(created_at),
      updatedAt: Date.parse(updated_at),
    }));
  } catch (error) {
    if (isRefused(error)) return null;
    throw error;
  }
}

/** Gone, withdrawn or blocked: another try would not change it. Rate limits are told by their headers before. */
function isRefused(error: unknown): boolean {
  const status = error instanceof Error && "status" in error ? error.status : 0;
  return status === 404 || status === 410 || status === 451;
}

function leaveEnough(headers: object): void {
  const numbers = new Map(Object.entries(headers).map(([name, value]) => [name, Number(value ?? Number.NaN)]));
  const of = (name: string) => numbers.get(`x-ratelimit-${name}`) ?? Number.NaN;
  // A server without limits names none.
  if (!(of("remaining") < of("limit") * LEFT_TO_REVIEWS)) return;
  const reset = of("reset");
  const until = Number.isFinite(reset) ? reset * 1_000 : null;
  throw new Transient("the rest of this hour's requests to GitHub is left to reviews", until);
}
