// A pull request on GitHub as the change of a command; loaded only where one is named.
import { setTimeout as wait } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import { blobsInMemory } from "../../adapters/blob-cache.ts";
import { dryRunChecks } from "../../adapters/dry-run/dry-run.ts";
import { codeScanning } from "../../adapters/github/read/code-scanning.ts";
import { githubPullRequests } from "../../adapters/github/read/pull-requests.ts";
import { githubSnapshots } from "../../adapters/github/read/snapshot.ts";
import { repoOf } from "../../adapters/github/requests.ts";
import { gatedFetch } from "../../adapters/github/write/write-gate.ts";
import { writeTurns } from "../../adapters/github/write/write-path.ts";
import type { ReviewPorts } from "../../flows/review/review-ports.ts";
import { archiveFetch, githubFetch } from "../egress.ts";
import { type PersonsRepository, pathOf, personsClient, personsRefusal, reviewsOn } from "../github.ts";
import { redact, safeRetrievals } from "../secrets.ts";
import { openStore } from "../store.ts";
import { type NamedChange, portsOf, storeAt } from "./change.ts";
import type { ModelWish } from "./model.ts";
import { type Remembered, unrecorded } from "./store.ts";

type NamedPull = PersonsRepository & { readonly number: number; readonly model: ModelWish };

/** No port could post. Throws when there is no such pull request or the token may not read it. */
export async function pullRequestPorts(named: NamedPull & { readonly place: string | null }): Promise<NamedChange> {
  const github = personsClient(named.token, named.apiUrl);
  return readingPorts(github, "kodiai[bot]", await storeAt(named.place), named);
}

const WORKFLOWS_LOGIN = "github-actions[bot]";

/**
 * Reads a pull request and comments on it, with the token of a workflow of GitHub Actions. The
 * store holds what was sent and what is remembered, until the runner ends. Throws as above.
 */
export async function commentingPorts(
  named: NamedPull & { readonly place: string },
): Promise<NamedChange & { readonly ports: ReviewPorts }> {
  const { token, apiUrl } = named;
  const github = personsClient(token, apiUrl, gatedFetch(githubFetch(apiUrl)));
  const store = await openStore(named.place, { isCommand: true });
  const remembered = { ...store, retrievals: safeRetrievals(store.retrievals, unrecorded) };
  const read = await readingPorts(github, WORKFLOWS_LOGIN, remembered, named);
  const client = () => Promise.resolve(github);
  const path = pathOf(
    {
      clients: { forRepository: client, forChecks: client },
      botLogin: WORKFLOWS_LOGIN,
      // Secret, and not needed any longer than the run.
      markerSecret: token,
      turns: writeTurns(store.pace, wait),
      settledMs: null,
      onLost: () => {},
    },
    store.writes,
    0,
  );
  const { memory, past, ledger, checks: checkStore, waits } = store;
  const kept = { memory, past, keeping: past, ledger, checkStore, waits, redact, botLogin: WORKFLOWS_LOGIN };
  const once = { commentLimit: null, isOnGitHub: null, isLastTry: false };
  const reviews = reviewsOn({ botLogin: WORKFLOWS_LOGIN, onUnposted: null }, github, path);
  // The workflow's own job is the check.
  return { ...read, ports: { ...read.ports, ...kept, ...once, reviews, checks: dryRunChecks(() => {}) } };
}

async function readingPorts(github: Octokit, botLogin: string, store: Remembered | null, named: NamedPull) {
  const at = { owner: named.owner, repo: named.name, pull_number: named.number };
  const { data } = await github.rest.pulls.get(at).catch((error: unknown) => {
    throw personsRefusal(error, "such pull request");
  });
  const { id, private: isPrivate, owner, name } = data.base.repo;
  const repo = repoOf(named.host, { id, private: isPrivate, owner, name });
  const pulls = githubPullRequests({
    github,
    // A person's token reaches what the person reaches: the same client serves every repository.
    clients: { forOwnersRepository: () => Promise.resolve(github), forIssues: () => Promise.resolve(github) },
    installationId: 0,
    botLogin,
    authors: new Map(),
    attempt: null,
  });
  const { ports } = await portsOf([repo], pulls, store, named.model);
  // What a command reads goes when it ends.
  const snapshots = githubSnapshots({ github, archives: archiveFetch(named.apiUrl), blobs: blobsInMemory() });
  return {
    repo,
    number: named.number,
    headSha: data.head.sha,
    ports: { ...ports, snapshots, tools: codeScanning(async () => github) },
  };
}
