// The webhook fields that Kodiai reads. Parsing drops the rest of the payload.
import { z } from "zod";
import type { Repo } from "../domain/job.ts";
import { GHOST } from "../domain/pull-request.ts";
import { cutText } from "../domain/text/cut-text.ts";

export const User = z.object({ login: z.string(), id: z.int(), type: z.string().optional() });
export type User = z.infer<typeof User>;
/** The author of a pull request; GitHub sends null when the account was deleted. */
const Author = User.nullable().transform((user): User => user ?? GHOST);

const Repository = z.object({
  id: z.int(),
  name: z.string(),
  private: z.boolean().optional(),
  visibility: z.enum(["public", "private", "internal"]).optional(),
  owner: z.object({ login: z.string(), id: z.int() }),
});

export const Sha = z.string().regex(/^[0-9a-f]{40,64}$/);

/** The fields of all deliveries about a repository that have an action. */
export const RepositoryEvent = z.object({
  action: z.string(),
  installation: z.object({ id: z.int() }),
  repository: Repository,
});

/** The fields of a pull request, or of its issue. */
export const Pull = z.object({
  number: z.int().positive(),
  title: z.string(),
  body: z.string().nullish().catch(undefined),
  state: z.enum(["open", "closed"]),
  locked: z.boolean().optional(),
  user: Author,
});
export const PullWithHead = Pull.extend({ head: z.object({ sha: Sha }) });

export const PullRequestDelivery = RepositoryEvent.extend({
  sender: User,
  pull_request: PullWithHead,
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

/** A push to any branch or tag. */
export const PushDelivery = RepositoryEvent.omit({ action: true }).extend({
  ref: z.string().max(1_000),
  deleted: z.boolean().optional(),
  repository: Repository.extend({ default_branch: z.string() }),
});
export type PushDelivery = z.infer<typeof PushDelivery>;

/** A repository was changed as a whole: renamed, transferred, deleted. */
export const RepositoryDelivery = RepositoryEvent.extend({
  changes: z.object({ default_branch: z.unknown().optional() }).nullish(),
});
export type RepositoryDelivery = z.infer<typeof RepositoryDelivery>;

/** A repository in an installation's list; the installation's account owns it. */
const Listed = z.object({ id: z.int(), name: z.string(), private: z.boolean().optional() });
const Listing = z.array(Listed).max(100_000).nullish();

/** The App was installed or uninstalled, or its list of repositories changed. */
export const InstallationDelivery = z.object({
  action: z.string(),
  installation: z.object({ id: z.int(), account: z.object({ login: z.string(), id: z.int() }) }),
  repositories: Listing,
  repositories_added: Listing,
  repositories_removed: Listing,
});
export type InstallationDelivery = z.infer<typeof InstallationDelivery>;

/**
 * Our form of a payload's repository. GitHub writes its two fields of visibility at different
 * times: the stricter wins.
 *
 * @param host `github.com` or the GHES host
 */
export function repoOf(
  { id, name, owner, private: isPrivate, visibility }: z.infer<typeof Repository>,
  host: string,
): Repo {
  const known = visibility ?? (isPrivate === false ? "public" : "private");
  const strict = known === "public" && isPrivate === true ? "private" : known;
  return { host, id, ownerId: owner.id, owner: owner.login, name, visibility: strict };
}

/** A word of the payload for a message: quoted, and at most 40 characters. */
export function quoted(word: string): string {
  return JSON.stringify(cutText(word, 40));
}

/** A webhook whose signature was checked. `payload` is parsed JSON of any shape. */
export interface Delivery {
  /** X-GitHub-Delivery: the same for a redelivery. */
  readonly id: string;
  /** X-GitHub-Event: `pull_request`. */
  readonly event: string;
  readonly payload: unknown;
}

/** Settings of this Kodiai server that reading needs. */
export interface ReceiveOptions {
  /** `github.com` or the GHES host: part of a job's key. */
  readonly host: string;
  /** Login whose review request triggers a review; null when not configured. */
  readonly reviewerLogin: string | null;
  /** The app's own name, without `[bot]`. */
  readonly slug: string;
}

/** Reads a delivery: what follows from it, or why nothing does. Never throws, for any payload. */
export type Reader<Outcome> = (delivery: Delivery, options: ReceiveOptions) => Outcome | string;

/** A reader of payloads of one form; for another the reason names its first wrong field. */
export function reader<Payload, Outcome>(
  form: z.ZodType<Payload>,
  read: (payload: Payload, delivery: Delivery, options: ReceiveOptions) => Outcome | string,
): Reader<Outcome> {
  return (delivery, options) => {
    const parsed = form.safeParse(delivery.payload);
    if (parsed.success) return read(parsed.data, delivery, options);
    const [issue] = parsed.error.issues;
    return `malformed payload: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not an object"}`;
  };
}
