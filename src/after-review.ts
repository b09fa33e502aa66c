// What a review leaves for later: where its repository wants memories described, a job for that, in the lane of upkeep.
import { type DescribeJob, type ReviewJob, upkeepKey } from "./domain/job.ts";
import type { Step } from "./flows/review-pull-request.ts";

/**
 * The same steps; once something new was remembered, `add` is told the job that describes it. A review that is only sent
 * now was written by an earlier try, and its configuration is not known here: then the job looks for itself.
 */
export function thenDescribe(step: Step, job: ReviewJob, add: (job: DescribeJob) => void): Step {
  let isWanted = true;
  return async (room, enter) => {
    const value = await step(room, enter);
    if (room === "gather") isWanted = wantsFields(value);
    if (room === "remember" && isWanted && hasNew(value)) add(describeJob(job));
    return value;
  };
}

function describeJob({ repo, delivery, installationId }: ReviewJob): DescribeJob {
  return { kind: "describe", key: upkeepKey(repo, "describe"), delivery, installationId, repo, trigger: "reviewed" };
}

function wantsFields(context: unknown): boolean {
  if (!isObject(context) || !isObject(context.config) || !isObject(context.config.knowledge)) return false;
  return context.config.knowledge.describe === "model";
}

function hasNew(kept: unknown): boolean {
  return isObject(kept) && kept.kind === "remembered" && Number(kept.added) + Number(kept.updated) > 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
