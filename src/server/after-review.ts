// What a review leaves for later: where its repository wants memories described, a job for that, in the lane of upkeep.
import { type DescribeJob, type ReviewJob, upkeepKey } from "../domain/job.ts";
import type { Stage } from "../flows/review/review-ports.ts";

/** A job after which something may be remembered: a review, or a command. */
type Remembers = Pick<ReviewJob, "repo" | "delivery" | "installationId">;

/**
 * The same steps; once something new was remembered, `add` is told the job that describes it. Where nothing was
 * gathered, as when a review that an earlier try wrote is only sent, its configuration is not known here: then the job
 * looks for itself.
 */
export function thenDescribe(step: Stage, job: Remembers, add: (job: DescribeJob) => Promise<void>): Stage {
  let isWanted = true;
  return async (room, enter) => {
    const value = await step(room, enter);
    if (room === "gather") isWanted = wantsFields(value) ?? isWanted;
    if (room === "remember" && isWanted && hasNew(value)) await add(describeJob(job));
    return value;
  };
}

function describeJob({ repo, delivery, installationId }: Remembers): DescribeJob {
  return { kind: "describe", key: upkeepKey(repo, "describe"), delivery, installationId, repo, trigger: "reviewed" };
}

/** Null where the value tells no configuration. */
function wantsFields(gathered: unknown): boolean | null {
  if (!isObject(gathered) || !isObject(gathered.config) || !isObject(gathered.config.knowledge)) return null;
  return gathered.config.knowledge.describe === "model";
}

function hasNew(kept: unknown): boolean {
  return isObject(kept) && kept.kind === "remembered" && Number(kept.added) + Number(kept.updated) > 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
