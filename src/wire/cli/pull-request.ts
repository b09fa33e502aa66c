// A pull request on GitHub as the change of a command; loaded only where one is named.
import { blobsInMemory } from "../../adapters/blob-cache.ts";
import { codeScanning } from "../../adapters/github/read/code-scanning.ts";
import { githubPullRequests } from "../../adapters/github/read/pull-requests.ts";
import { githubSnapshots } from "../../adapters/github/read/snapshot.ts";
import { repoOf } from "../../adapters/github/requests.ts";
import { archiveFetch } from "../egress.ts";
import { type PersonsRepository, personsClient, personsRefusal } from "../github.ts";
import { type NamedChange, portsOf } from "./change.ts";
import type { ModelWish } from "./model.ts";

/** Reads a pull request with a person's token; no port could post. Throws when it does not exist or the token may not read it. */
export async function pullRequestPorts(
  // `place`: see storePlaceIfAny.
  named: PersonsRepository & { readonly number: number; readonly place: string | null; readonly model: ModelWish },
): Promise<NamedChange> {
  const github = personsClient(named.token, named.apiUrl);
  const at = { owner: named.owner, repo: named.name, pull_number: named.number };
  const { data } = await github.rest.pulls.get(at).catch((error: unknown) => {
    throw personsRefusal(error, "such pull request");
  });
  const { id, private: isPrivate, owner, name } = data.base.repo;
  const repo = repoOf(named.host, { id, private: isPrivate, owner, name });
  const pulls = githubPullRequests({
    github,
    // A person's token reaches what the person reaches: the same client serves every repository.
    clients: { forOwnersRepository: () => Promise.resolve(github) },
    installationId: 0,
    botLogin: "kodiai[bot]",
  });
  const { ports } = await portsOf([{ repo, by: "its address" }], pulls, named.place, named.model);
  // What a command reads goes when it ends.
  const snapshots = githubSnapshots({ github, archives: archiveFetch(named.apiUrl), blobs: blobsInMemory() });
  return {
    repo,
    number: named.number,
    headSha: data.head.sha,
    ports: { ...ports, snapshots, tools: codeScanning(async () => github) },
  };
}
