// Whose money a review spends: people without write access to a repository have a part of its budget, and no more.
import { hasAccess } from "../domain/command.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { ModelAccess } from "../ports/model.ts";
import type { Permissions } from "../ports/talk.ts";
import { hasPrice } from "./model-leave.ts";

/**
 * Whether people without write access are behind a review: whoever asked for it by name, else whoever wrote the change. GitHub is
 * asked only where money is at stake; whoever it does not answer for has no write access.
 *
 * @param permissions absent where a person asks at a terminal, with a model of their own
 */
export async function isForOutsider(
  { job, pull, repo, config }: Pick<PullRequestContext, "job" | "pull" | "repo" | "config">,
  access: ModelAccess | null,
  permissions: Permissions | undefined,
): Promise<boolean> {
  if (permissions === undefined || access === null || config.review.model === "off" || !hasPrice(access.model))
    return false;
  // Only people with write access push to branches of the repository itself.
  if (job.askedBy === undefined && pull.head.repo === `${repo.owner}/${repo.name}`) return false;
  return !hasAccess(await permissions.of(repo, job.askedBy ?? pull.author), "write");
}
