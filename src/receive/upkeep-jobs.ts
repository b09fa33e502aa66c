// Deliveries about repositories and installations -> jobs that keep memory up to date.

import type { z } from "zod";
import {
  type Ignored,
  type IndexTrigger,
  type Repo,
  type UpkeepJob,
  type UpkeepJobs,
  upkeepKey,
} from "../domain/job.ts";
import {
  type Delivery,
  InstallationDelivery,
  type ListedRepository,
  malformed,
  PushDelivery,
  quoted,
  RepositoryDelivery,
  repoOf,
} from "./delivery.ts";

type Decided = readonly Wanted[] | { readonly reason: string };
/** A job without the fields that are the same for all jobs of the delivery. */
type Wanted =
  | { readonly kind: "index"; readonly trigger: IndexTrigger; readonly repo: Repo }
  | { readonly kind: "history"; readonly trigger: "installed"; readonly repo: Repo }
  | { readonly kind: "label" | "forget"; readonly trigger: string; readonly repo: Repo };

const EVENTS = new Set(["push", "repository", "installation", "installation_repositories"]);

/** Whether `upkeepJobs` handles the event, the X-GitHub-Event of a delivery. */
export function isUpkeepEvent(event: string): boolean {
  return EVENTS.has(event);
}

/**
 * @param delivery of an event that `isUpkeepEvent` accepts
 * @param host the host of its repositories: `github.com` or the GHES host
 * @returns one job or more, or `Ignored` with a reason; never throws, for any payload
 */
export function upkeepJobs(delivery: Delivery, host: string): UpkeepJobs | Ignored {
  const { id, event } = delivery;
  const { decided, installationId } =
    event === "push"
      ? read(PushDelivery, delivery, (payload) => fromPush(payload, host))
      : event === "repository"
        ? read(RepositoryDelivery, delivery, (payload) => fromRepository(payload, host))
        : read(InstallationDelivery, delivery, (payload) => fromInstallation(payload, host));
  if ("reason" in decided) return { kind: "ignored", delivery: id, reason: decided.reason };
  if (decided.length === 0) return { kind: "ignored", delivery: id, reason: "it names no repository" };
  const jobs = decided.map((wanted): UpkeepJob => {
    return { ...wanted, key: upkeepKey(wanted.repo, wanted.kind), delivery: id, installationId };
  });
  return { kind: "upkeep", delivery: id, jobs };
}

function read<Payload extends { readonly installation: { readonly id: number } }>(
  schema: z.ZodType<Payload>,
  { payload }: Delivery,
  from: (payload: Payload) => Decided,
): { readonly decided: Decided; readonly installationId: number } {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return { decided: from(parsed.data), installationId: parsed.data.installation.id };
  return { decided: { reason: malformed(parsed.error) }, installationId: 0 };
}

function fromPush({ ref, deleted, repository }: PushDelivery, host: string): Decided {
  if (ref.startsWith("refs/tags/")) return { reason: "a tag was pushed" };
  if (ref !== `refs/heads/${repository.default_branch}`) return { reason: "the push is not to the default branch" };
  if (deleted === true) return { reason: "the branch was deleted" };
  return [{ kind: "index", trigger: "push", repo: repoOf(repository, host) }];
}

const LABELS = new Set(["renamed", "transferred", "privatized", "publicized"]);

function fromRepository({ action, repository, changes }: RepositoryDelivery, host: string): Decided {
  const repo = repoOf(repository, host);
  if (LABELS.has(action)) return [{ kind: "label", trigger: action, repo }];
  if (action === "deleted") return [{ kind: "forget", trigger: action, repo }];
  if (action === "edited" && changes?.default_branch !== undefined) {
    return [{ kind: "index", trigger: "default-branch", repo }];
  }
  return { reason: `action ${quoted(action)} of a repository is not handled` };
}

function fromInstallation(payload: InstallationDelivery, host: string): Decided {
  const { action, installation, repositories, repositories_added: added, repositories_removed: removed } = payload;
  const repos = (listed: readonly ListedRepository[] | null | undefined) =>
    (listed ?? []).map((one) => repoOf({ ...one, owner: installation.account }, host));
  switch (action) {
    case "created":
    // GitHub sent nothing about pushes and comments during the suspension.
    case "unsuspend":
      return installed(repos(repositories));
    case "deleted":
      return repos(repositories).map((repo) => ({ kind: "forget", trigger: "uninstalled", repo }));
    case "added":
      return installed(repos(added));
    case "removed":
      return repos(removed).map((repo) => ({ kind: "forget", trigger: "removed", repo }));
    default:
      return { reason: `action ${quoted(action)} of an installation is not handled` };
  }
}

/** All documents are indexed before any history is imported, because imports take longer. */
function installed(repos: readonly Repo[]): readonly Wanted[] {
  const index = repos.map((repo) => ({ kind: "index", trigger: "installed", repo }) as const);
  return [...index, ...repos.map((repo) => ({ kind: "history", trigger: "installed", repo }) as const)];
}
