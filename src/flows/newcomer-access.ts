// Strangers decide how much of somebody else's money is spent: a repository may have their first changes read by the small model.
import type { ModelRequest } from "../domain/model.ts";
import type { Degraded } from "../domain/omissions.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import type { Model, ModelAccess } from "../ports/model.ts";

/**
 * The model for this author: where the repository wants it so, the small one for the fork of somebody who never had a pull request
 * merged here, which the review says.
 */
export function newcomerAccess(
  { config, pull, repo }: Pick<PullRequestContext, "config" | "pull" | "repo">,
  { author }: Pick<ReviewSignals, "author">,
  access: ModelAccess | null,
): { readonly access: ModelAccess | null; readonly degraded: readonly Degraded[] } {
  const isFork = pull.head.repo !== `${repo.owner}/${repo.name}`;
  const isMeant = config.review.newcomers === "cheap" && author.tier === "first-time" && isFork;
  if (access === null || config.review.model === "off" || !isMeant) return { access, degraded: [] };
  const reason = `${access.model.names.small} reads the first pull requests of people from forks here (\`review.newcomers\`)`;
  return { access: { ...access, model: smallOnly(access.model) }, degraded: [{ part: "model", reason }] };
}

/** Every question goes to the small model, and is counted as one of its. */
function smallOnly(model: Model): Model {
  const { small } = model.names;
  return {
    names: { main: small, small },
    contextTokens: () => model.contextTokens("small"),
    price: (_tier, inputTokens, outputTokens) => model.price("small", inputTokens, outputTokens),
    ask: <T>(request: ModelRequest<T>, signal?: AbortSignal) => model.ask({ ...request, tier: "small" }, signal),
  };
}
