// Runs a job inside wrappers, the outermost first; start-jobs.ts lists them.
import type { CommandJob } from "../domain/command.ts";
import { Stopped } from "../domain/errors.ts";
import { type DescribeJob, type ReviewJob, upkeepKey } from "../domain/job.ts";
import type { Remembered } from "../domain/memory/write-report.ts";
import type { Skipped } from "../domain/omissions.ts";
import type { PullRequestContext } from "../domain/pull-request.ts";
import type { Superseded } from "../domain/review.ts";
import type { CommandPorts } from "../flows/commands/order.ts";
import type { SentReview, Stage } from "../flows/review/review-ports.ts";
import type { ReviewJobs } from "../ports/conversation.ts";
import type { AnyJob, LaneName, Lease, Queue, Reviews } from "../ports.ts";
import type { LargeReviews } from "./sweeps/large-reviews.ts";
import { unlessAborted } from "./sweeps/periodic-task.ts";

export type PullJob = ReviewJob | CommandJob;

type PullPorts = Omit<CommandPorts, "jobs">;

/** One run of a job; wrappers pass a changed copy inwards. */
interface JobRun {
  readonly lane: LaneName;
  readonly lease: Lease<AnyJob>;
  /** Aborted when the job is no longer wanted: a later one replaced it, or a person stopped it. */
  readonly signal: AbortSignal;
  readonly stopped: AbortSignal | null;
  readonly adapt: (ports: PullPorts) => PullPorts;
}

export interface JobWrapper {
  readonly lanes: readonly LaneName[];
  readonly job?: (run: JobRun, next: (run: JobRun) => Promise<string>) => Promise<string>;
  readonly stage?: (run: JobRun, next: Stage) => Stage;
}

/** Runs a job inside the wrappers of its lane; returns one line on how it ended. */
export function runJob(
  { lane, lease, signal }: Pick<JobRun, "lane" | "lease" | "signal">,
  wrappers: readonly JobWrapper[],
  work: (run: JobRun, stage: Stage) => Promise<string>,
): Promise<string> {
  const around = wrappers.filter(({ lanes }) => lanes.includes(lane));
  const from = (at: number, run: JobRun): Promise<string> => {
    const wrapper = around[at];
    if (wrapper !== undefined) return wrapper.job?.(run, (next) => from(at + 1, next)) ?? from(at + 1, run);
    const plain: Stage = async (_name, enter) => enter();
    return work(
      run,
      around.reduceRight((stage, one) => one.stage?.(run, stage) ?? stage, plain),
    );
  };
  return from(0, { lane, lease, signal, stopped: null, adapt: (ports) => ports });
}

/** A repository that was forgotten meanwhile has no name (see Traces): no request is made. */
export const unlessForgotten: JobWrapper = {
  lanes: ["review", "command"],
  job: async (run, next) =>
    run.lease.job.repo.name === "" ? "missing: its repository was forgotten meanwhile" : next(run),
};

/** Makes reviews stoppable between two stages or comments. Commands use `jobs`. */
export function stoppableReviews(
  queue: Pick<Queue, "add" | "drop">,
  onAdded: () => void,
): { readonly jobs: ReviewJobs; readonly stoppable: JobWrapper } {
  const running = new Map<string, AbortController>();
  return {
    jobs: {
      async add(job, now) {
        await queue.add(job, now);
        onAdded();
      },
      async stop(key, reason) {
        const waiting = await queue.drop(key, reason);
        const controller = running.get(key);
        controller?.abort(new Stopped(reason));
        return { waiting, running: controller === undefined ? 0 : 1 };
      },
    },
    stoppable: {
      lanes: ["review"],
      async job(run, next) {
        const controller = new AbortController();
        const { signal: stopped } = controller;
        const { key } = run.lease.job;
        running.set(key, controller);
        try {
          return await next({
            ...run,
            stopped,
            signal: AbortSignal.any([stopped, run.signal]),
            adapt: (given) => {
              const ports = run.adapt(given);
              return { ...ports, reviews: stoppableWrites(ports.reviews, stopped) };
            },
          });
        } catch (error) {
          // An error during a stop was caused by it, or no longer matters: no retry.
          if (stopped.aborted) return `stopped: ${String((stopped.reason as Error).message)}`;
          throw error;
        } finally {
          running.delete(key);
        }
      },
      stage:
        ({ stopped }, next) =>
        async (name, enter) => {
          stopped?.throwIfAborted();
          return next(name, enter);
        },
    },
  };
}

function stoppableWrites(reviews: Reviews, stopped: AbortSignal): Reviews {
  const unless = unlessAborted(stopped);
  return {
    ...reviews,
    postReview: unless(reviews.postReview),
    postFileComment: unless(reviews.postFileComment),
    putSummary: unless(reviews.putSummary),
    editSummary: unless(reviews.editSummary),
    showQuiet: unless(reviews.showQuiet),
    endQuiet: unless(reviews.endQuiet),
    showNotice: unless(reviews.showNotice),
  };
}

/** Admits reviews of large changes within the limit. */
export function admittedBy(large: LargeReviews): JobWrapper {
  return {
    lanes: ["review"],
    async job(run, next) {
      let done = () => {};
      const adapt = (given: PullPorts) => {
        const ports = run.adapt(given);
        const admitted = large.admit(ports.pulls);
        done = admitted.done;
        return { ...ports, pulls: admitted.pulls };
      };
      try {
        return await next({ ...run, adapt });
      } finally {
        done();
      }
    },
  };
}

/**
 * Adds a job that describes new memories, unless the configuration disables that. A run that only
 * posts an earlier attempt's review does not know it; the job checks it.
 *
 * @param add enqueues the job; never rejects
 */
export function describedLater(add: (job: DescribeJob) => Promise<void>): JobWrapper {
  return {
    lanes: ["review", "command"],
    stage({ lease }, next) {
      let isWanted = true;
      return async (name, enter) => {
        const value = await next(name, enter);
        if (name === "gather") {
          const gathered = value as PullRequestContext | Skipped;
          if (gathered.kind === "context") isWanted = gathered.config.knowledge.describe === "model";
        }
        const kept = (name === "remember" ? value : {}) as Partial<Remembered>;
        if (isWanted && kept.kind === "remembered" && (kept.added ?? 0) + (kept.updated ?? 0) > 0) {
          const { repo, delivery, installationId } = lease.job;
          const key = upkeepKey(repo, "describe");
          await add({ kind: "describe", key, delivery, installationId, repo, trigger: "reviewed", after: null });
        }
        return value;
      };
    },
  };
}

/** How a review ended, in one line. */
export function reviewLine(result: SentReview | Superseded | Skipped): string {
  if (result.kind !== "posted") return `${result.kind}: ${result.reason}`;
  const lost = result.notRemembered === null ? "" : `; not remembered: ${result.notRemembered}`;
  return `posted ${result.reviewUrl ?? result.summaryUrl ?? "a reaction: there was nothing to say"}${lost}`;
}
