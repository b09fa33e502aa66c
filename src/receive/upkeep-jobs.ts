// Deliveries about repositories and installations -> jobs that keep memory up to date.

import type { z } from "zod";
import {
  type ForgetJob,
  type HistoryJob,
  type IndexJob,
  type LabelJob,
  type Repo,
  type UpkeepJob,
  type UpkeepJobs,
  upkeepKey,
} from "../domain/job.ts";
import {
  InstallationDelivery,
  PushDelivery,
  quoted,
  type Reader,
  RepositoryDelivery,
  reader,
  repoOf,
} from "./delivery.ts";

/** A job without the fields that are the same for all jobs of the delivery. */
type Wanted = Shared<IndexJob> | Shared<HistoryJob> | Shared<LabelJob> | Shared<ForgetJob>;

type Shared<One> = Omit<One, "key" | "delivery" | "installationId">;

const WHOLE = { number: null, notBefore: null };
const AT_ONCE = { asked: 0, notBefore: null };

function upkeepReader<Payload extends { readonly installation: { readonly id: number } }>(
  form: z.ZodType<Payload>,
  wantedBy: (payload: Payload, host: string) => readonly Wanted[] | string,
): Reader<UpkeepJobs> {
  return reader(form, (payload, { id: delivery }, { host }) => {
    const wanted = wantedBy(payload, host);
    if (typeof wanted === "string") return wanted;
    if (wanted.length === 0) return "it names no repository";
    const installationId = payload.installation.id;
    const jobs = wanted.map((one): UpkeepJob => {
      return { ...one, key: upkeepKey(one.repo, one.kind), delivery, installationId };
    });
    return { kind: "upkeep", delivery, jobs };
  });
}

function fromPush({ ref, deleted, repository }: PushDelivery, host: string): readonly Wanted[] | string {
  if (ref.startsWith("refs/tags/")) return "a tag was pushed";
  if (ref !== `refs/heads/${repository.default_branch}`) return "the push is not to the default branch";
  if (deleted === true) return "the branch was deleted";
  return [{ kind: "index", trigger: "push", repo: repoOf(repository, host), after: null }];
}

const LABELS = new Set(["renamed", "transferred", "privatized", "publicized"]);

function fromRepository({ action, repository, changes }: RepositoryDelivery, host: string): readonly Wanted[] | string {
  const repo = repoOf(repository, host);
  if (LABELS.has(action)) return [{ kind: "label", trigger: action, repo }];
  if (action === "deleted") return [{ ...AT_ONCE, kind: "forget", trigger: action, repo }];
  if (action === "edited" && changes?.default_branch !== undefined) {
    return [{ kind: "index", trigger: "default-branch", repo, after: null }];
  }
  return `action ${quoted(action)} of a repository is not handled`;
}

function fromInstallation(payload: InstallationDelivery, host: string): readonly Wanted[] | string {
  const { action, installation, repositories, repositories_added: added, repositories_removed: removed } = payload;
  const repos = (listed: InstallationDelivery["repositories"]) =>
    (listed ?? []).map((one) => repoOf({ ...one, owner: installation.account }, host));
  switch (action) {
    case "created":
    // GitHub sent nothing about pushes and comments during the suspension.
    case "unsuspend":
      return installed(repos(repositories));
    case "deleted":
      return repos(repositories).map((repo) => ({ ...AT_ONCE, kind: "forget", trigger: "uninstalled", repo }));
    case "added":
      return installed(repos(added));
    case "removed":
      return repos(removed).map((repo) => ({ ...AT_ONCE, kind: "forget", trigger: "removed", repo }));
    default:
      return `action ${quoted(action)} of an installation is not handled`;
  }
}

/** All documents are indexed before any history is imported, because imports take longer. */
function installed(repos: readonly Repo[]): readonly Wanted[] {
  const index = repos.map((repo) => ({ kind: "index", trigger: "installed", repo, after: null }) as const);
  return [...index, ...repos.map((repo) => ({ ...WHOLE, kind: "history", trigger: "installed", repo }) as const)];
}

const installationReader = upkeepReader(InstallationDelivery, fromInstallation);

/** By event, the X-GitHub-Event of a delivery. */
export const UPKEEP_READERS: ReadonlyMap<string, Reader<UpkeepJobs>> = new Map([
  ["push", upkeepReader(PushDelivery, fromPush)],
  ["repository", upkeepReader(RepositoryDelivery, fromRepository)],
  ["installation", installationReader],
  ["installation_repositories", installationReader],
]);
