// A merge queue requests checks on the commit that it would merge: the job completes our check there without a review.
import { z } from "zod";
import { jobKey, type Repo, type ReviewJob } from "../domain/job.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { type Delivery, Repository } from "./delivery.ts";
import { malformed } from "./malformed.ts";

const Sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const MergeGroupDelivery = z.object({
  action: z.string(),
  installation: z.object({ id: z.int() }),
  repository: Repository,
  merge_group: z.object({ head_sha: Sha, base_sha: Sha, head_ref: z.string().max(1_000) }),
});

/** `refs/heads/gh-readonly-queue/BRANCH/pr-NUMBER-SHA`; NUMBER is the last pull request in the group. */
const NUMBER = /\/pr-([1-9]\d{0,9})-[0-9a-f]{40,64}$/;

/**
 * @param repoOf maps the payload's repository to ours
 * @returns the job, or why there is none; never throws, for any payload
 */
export function readMergeGroup(
  delivery: Delivery,
  repoOf: (repository: z.infer<typeof Repository>) => Repo,
): ReviewJob | string {
  const { data, error } = MergeGroupDelivery.safeParse(delivery.payload);
  if (data === undefined) return malformed(error);
  const { action, installation, repository, merge_group: group } = data;
  if (action !== "checks_requested") return `merge group: action ${JSON.stringify(cutText(action, 40))} is not handled`;
  const number = NUMBER.exec(group.head_ref)?.[1];
  if (number === undefined) return "the merge group names no pull request";
  const repo = repoOf(repository);
  return {
    kind: "review",
    // Its own key, so that it and the jobs of its pull request do not replace each other.
    key: `${jobKey(repo, Number(number))}!merge-${group.head_sha}`,
    delivery: delivery.id,
    installationId: installation.id,
    repo,
    number: Number(number),
    headSha: group.head_sha,
    baseSha: group.base_sha,
    trigger: "merge_group",
    explicit: false,
  };
}
