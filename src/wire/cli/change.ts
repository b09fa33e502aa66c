import { blobsInMemory } from "../../adapters/blob-cache.ts";
import { defaultBranch, type LocalRange, localChanges, uncommittedWork } from "../../adapters/git/local-changes.ts";
import { githubDependencies } from "../../adapters/github/dependencies.ts";
import { githubPullRequests } from "../../adapters/github/pull-requests.ts";
import { githubSnapshots } from "../../adapters/github/snapshot.ts";
import { localWords } from "../../adapters/local/local-embedder.ts";
import type { Repo } from "../../domain/job.ts";
import type { WritingPorts } from "../../flows/review/review-ports.ts";
import type { PullRequests } from "../../ports.ts";
import { archiveFetch } from "../egress.ts";
import { personsClient, personsRefusal, repoFrom } from "../github.ts";
import { inspector, knownRules, symbols } from "../rules.ts";
import { type ModelWish, modelAccess } from "./model.ts";
import { rememberedAt } from "./store.ts";

export { defaultBranch, type LocalRange, uncommittedWork };

/** A change to review from the command line. */
export interface NamedChange {
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
  readonly ports: WritingPorts;
}

/**
 * Ports for a range of the local repository at `cwd`; nothing leaves the machine.
 *
 * @throws Error with git's message when the range cannot be read
 */
export async function localPorts(cwd: string, range: LocalRange, place: string, wish: ModelWish): Promise<NamedChange> {
  const { repo, pull, pulls, snapshots } = await localChanges(cwd, range);
  const ports = await portsOf(repo, pulls, place, wish);
  return { repo, number: pull.number, headSha: pull.head.sha, ports: { ...ports, snapshots } };
}

/** Rules, memory if there is any, and the chosen model. */
async function portsOf(repo: Repo, pulls: PullRequests, place: string, wish: ModelWish): Promise<WritingPorts> {
  return {
    pulls,
    inspector: inspector(),
    symbols: symbols(),
    known: knownRules(),
    embedder: localWords(),
    ...rememberedAt(place),
    // Nothing is posted, so every finding is shown where it is.
    commentLimit: Number.POSITIVE_INFINITY,
    reranker: null,
    gateCache: null,
    access: await modelAccess(wish, repo, place),
    now: Date.now,
  };
}

/**
 * Ports for a pull request, read with a person's token. None of them can post.
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
  const github = personsClient(named.token, named.apiUrl);
  const at = { owner: named.owner, repo: named.name, pull_number: named.number };
  const { data } = await github.rest.pulls.get(at).catch((error: unknown) => {
    throw personsRefusal(error, "such pull request");
  });
  const { id, private: isPrivate, owner, name } = data.base.repo;
  const repo = repoFrom(named.host, { id, private: isPrivate, owner, name });
  const pulls = githubPullRequests({
    github,
    // A person's token reaches what the person reaches: the same client serves every repository.
    clients: { forOwnersRepository: () => Promise.resolve(github) },
    installationId: 0,
    botLogin: "kodiai[bot]",
    authors: new Map(),
  });
  const ports = await portsOf(repo, pulls, named.place, named.model);
  // Kept only while the command runs.
  const snapshots = githubSnapshots({ github, archives: archiveFetch(named.apiUrl), blobs: blobsInMemory() });
  return {
    repo,
    number: named.number,
    headSha: data.head.sha,
    ports: { ...ports, snapshots, dependencies: githubDependencies(github) },
  };
}
