// A merge queue requests checks on the commit that it would merge: the job completes our check there without a review.
import { z } from "zod";
import { jobKey, type ReviewJob } from "../domain/job.ts";
import { Around, type Delivery, malformed, quoted, repoOf, Sha } from "./delivery.ts";

const MergeGroupDelivery = Around.extend({
  merge_group: z.object({ head_sha: Sha, base_sha: Sha, head_ref: z.string().max(1_000) }),
});

/** `refs/heads/gh-readonly-queue/BRANCH/pr-NUMBER-SHA`; NUMBER is the last pull request in the group. */
const NUMBER = /\/pr-([1-9]\d{0,9})-[0-9a-f]{40,64}$/;

/** The job, or why there is none; never throws, for any payload. */
export function readMergeGroup(delivery: Delivery, host: string): ReviewJob | string {
  const { data, error } = MergeGroupDelivery.safeParse(delivery.payload);
  if (data === undefined) return malformed(error);
  const { action, installation, repository, merge_group: group } = data;
  if (action !== "checks_requested") return `merge group: action ${quoted(action)} is not handled`;
  const number = NUMBER.exec(group.head_ref)?.[1];
  if (number === undefined) return "the merge group names no pull request";
  const repo = repoOf(repository, host);
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
