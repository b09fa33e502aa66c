// A pull request that was closed, merged or not -> a job that remembers what people said on it.
import { closedPullKey, type HistoryJob, type Repo } from "../domain/job.ts";
import { type Delivery, PullRequestDelivery } from "./delivery.ts";

/**
 * @param repoOf the repository of a payload, in our words
 * @returns null for any other delivery; never throws, whatever the payload is
 */
export function closedPullJob(
  { id, event, payload }: Delivery,
  repoOf: (repository: PullRequestDelivery["repository"]) => Repo,
): HistoryJob | null {
  if (event !== "pull_request") return null;
  const { data } = PullRequestDelivery.safeParse(payload);
  if (data?.action !== "closed") return null;
  const repo = repoOf(data.repository);
  const { number } = data.pull_request;
  return {
    kind: "history",
    key: closedPullKey(repo, number),
    delivery: id,
    installationId: data.installation.id,
    repo,
    trigger: "closed",
    number,
  };
}
