// The webhook fields that Kodiai reads. Parsing drops the rest of the payload.
import { z } from "zod";
import { GHOST } from "../domain/pull-request.ts";

export const User = z.object({ login: z.string(), id: z.int(), type: z.string().optional() });
export type User = z.infer<typeof User>;
/** The author of a pull request; GitHub sends null when the account was deleted. */
export const Author = User.nullable().transform((user): User => user ?? GHOST);

export const Repository = z.object({
  id: z.int(),
  name: z.string(),
  private: z.boolean().optional(),
  visibility: z.enum(["public", "private", "internal"]).optional(),
  owner: z.object({ login: z.string(), id: z.int() }),
});

export const PullRequestDelivery = z.object({
  action: z.string(),
  installation: z.object({ id: z.int() }),
  repository: Repository,
  sender: User,
  pull_request: z.object({
    number: z.int().positive(),
    title: z.string(),
    body: z.string().nullish().catch(undefined),
    state: z.enum(["open", "closed"]),
    draft: z.boolean().optional(),
    locked: z.boolean().optional(),
    user: Author,
    head: z.object({ sha: z.string().regex(/^[0-9a-f]{40,64}$/) }),
  }),
  label: z.object({ name: z.string() }).optional(),
  requested_reviewer: z.object({ login: z.string() }).nullish(),
  changes: z
    .object({
      title: z.object({ from: z.string() }).optional(),
      base: z.unknown().optional(),
    })
    .optional(),
});
export type PullRequestDelivery = z.infer<typeof PullRequestDelivery>;

const installation = z.object({ id: z.int() });

/** A push to any branch or tag. */
export const PushDelivery = z.object({
  ref: z.string().max(1_000),
  deleted: z.boolean().optional(),
  installation,
  repository: Repository.extend({ default_branch: z.string() }),
});
export type PushDelivery = z.infer<typeof PushDelivery>;

/** A repository was changed as a whole: renamed, transferred, deleted. */
export const RepositoryDelivery = z.object({
  action: z.string(),
  installation,
  repository: Repository,
  changes: z.object({ default_branch: z.unknown().optional() }).nullish(),
});
export type RepositoryDelivery = z.infer<typeof RepositoryDelivery>;

/** A repository in an installation's list; the installation's account owns it. */
const Listed = z.object({ id: z.int(), name: z.string(), private: z.boolean().optional() });
const Listing = z.array(Listed).max(100_000).nullish();
export type ListedRepository = z.infer<typeof Listed>;

/** The App was installed or uninstalled, or its list of repositories changed. */
export const InstallationDelivery = z.object({
  action: z.string(),
  installation: installation.extend({ account: z.object({ login: z.string(), id: z.int() }) }),
  repositories: Listing,
  repositories_added: Listing,
  repositories_removed: Listing,
});
export type InstallationDelivery = z.infer<typeof InstallationDelivery>;

/**
 * The repository's visibility. The two payload fields can differ, because GitHub writes them at different times: the stricter wins.
 */
export function visibilityOf(repository: {
  readonly private?: boolean | undefined;
  readonly visibility?: "public" | "private" | "internal" | undefined;
}): "public" | "private" | "internal" {
  const { private: isPrivate, visibility } = repository;
  if (visibility === undefined) return isPrivate === false ? "public" : "private";
  return visibility === "public" && isPrivate === true ? "private" : visibility;
}

/** A webhook whose signature was checked. `payload` is parsed JSON of any shape. */
export interface Delivery {
  /** X-GitHub-Delivery: the same for a redelivery. */
  readonly id: string;
  /** X-GitHub-Event: `pull_request`. */
  readonly event: string;
  readonly payload: unknown;
}
