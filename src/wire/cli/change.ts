import { Octokit } from "@octokit/rest";
import { type LocalRange, localChanges } from "../../adapters/git/local-changes.ts";
import { githubDependencies } from "../../adapters/github/dependencies.ts";
import { githubPullRequests } from "../../adapters/github/pull-requests.ts";
import { localWords } from "../../adapters/local/local-embedder.ts";
import type { Repo } from "../../domain/job.ts";
import type { WritingPorts } from "../../flows/review/review-ports.ts";
import { githubFetch } from "../egress.ts";
import { inspector, knownRules } from "../rules.ts";
import { neverTell } from "../secrets.ts";
import { type ModelWish, modelAccess } from "./model.ts";
import { rememberedAt } from "./store.ts";

export type { LocalRange };

/** A change that the command line was asked to review. */
export interface NamedChange {
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
  readonly ports: WritingPorts;
}

/**
 * Reads a range of the local repository at `cwd`; nothing leaves the machine.
 *
 * @throws Error with git's message when the range cannot be read
 */
export async function localPorts(cwd: string, range: LocalRange, place: string, wish: ModelWish): Promise<NamedChange> {
  const { repo, pull, pulls } = await localChanges(cwd, range);
  return {
    repo,
    number: pull.number,
    headSha: pull.head.sha,
    ports: {
      pulls,
      inspector: inspector(),
      known: knownRules(),
      embedder: localWords(),
      ...rememberedAt(place),
      reranker: null,
      gateCache: null,
      access: await modelAccess(wish, repo, place),
      now: Date.now,
    },
  };
}

/**
 * Reads a pull request with a person's token. There is no port that could post.
 *
 * @throws Error when the pull request does not exist or the token may not read it
 */
export async function pullRequestPorts(named: {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
  readonly number: number;
  readonly token: string;
  readonly apiUrl: string;
  /** See storePlace. */
  readonly place: string;
  readonly model: ModelWish;
}): Promise<NamedChange> {
  const { apiUrl } = named;
  neverTell(named.token);
  const github = new Octokit({
    auth: named.token,
    baseUrl: apiUrl,
    userAgent: "kodiai",
    request: { fetch: githubFetch(apiUrl) },
    // A file that is absent is no news; what matters is thrown.
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  const at = { owner: named.owner, repo: named.name, pull_number: named.number };
  const { data } = await github.rest.pulls.get(at).catch((error: unknown) => {
    throw new Error(refusalText(error), { cause: error });
  });
  const { id, private: isPrivate, owner, name } = data.base.repo;
  const repo: Repo = {
    host: named.host,
    id,
    ownerId: owner.id,
    owner: owner.login,
    name,
    visibility: isPrivate ? "private" : "public",
  };
  const pulls = githubPullRequests({
    github,
    // A person's token reaches what the person reaches: the same client serves every repository.
    clients: { forOwnersRepository: () => Promise.resolve(github) },
    installationId: 0,
    botLogin: "kodiai[bot]",
    authors: new Map(),
  });
  return {
    repo,
    number: named.number,
    headSha: data.head.sha,
    ports: {
      pulls,
      dependencies: githubDependencies(github),
      inspector: inspector(),
      known: knownRules(),
      embedder: localWords(),
      ...rememberedAt(named.place),
      reranker: null,
      gateCache: null,
      access: await modelAccess(named.model, repo, named.place),
      now: Date.now,
    },
  };
}

function refusalText(error: unknown): string {
  const status = error instanceof Error && "status" in error ? error.status : null;
  if (status === 401) return "GitHub does not take this GITHUB_TOKEN";
  if (status === 404) return "there is no such pull request, or GITHUB_TOKEN may not read it";
  return error instanceof Error ? error.message : String(error);
}
