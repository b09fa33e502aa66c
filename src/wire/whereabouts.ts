// Where a job's repository is by now, whichever installation reaches it.
import type { Clients } from "../adapters/github/clients.ts";
import { githubRepositoryHost } from "../adapters/github/repository-host.ts";
import type { Whereabouts } from "../server/after-gone.ts";

/** Asks GitHub each time, with tokens of the job's repository alone. */
export function whereabouts({ clients }: { readonly clients: Clients }): Whereabouts {
  return ({ installationId, repo }) => ({
    host: githubRepositoryHost({ clients, installationId, repo, paceMs: 0 }),
    installationOf: clients.installationOf,
  });
}
