// A review or a command from the queue to its end; and the way to stop a review that runs.
import type { CommandJob } from "../domain/command.ts";
import { Stopped } from "../domain/errors.ts";
import type { ReviewJob } from "../domain/job.ts";
import { answerComment } from "../flows/commands/answer-comment.ts";
import type { CommandPorts } from "../flows/commands/order.ts";
import type { Stage } from "../flows/review/review-ports.ts";
import { reviewPullRequest } from "../flows/review/review-pull-request.ts";
import type { ReviewJobs } from "../ports/talk.ts";
import type { Lease, Queue, Reviews } from "../ports.ts";
import { largeReviews } from "./large-reviews.ts";

/** What belongs to a pull request. */
export type PullJob = ReviewJob | CommandJob;

export interface RunnerPorts {
  readonly queue: Pick<Queue, "add" | "drop">;
  /** Told when a command has put a review into the queue. */
  readonly onAdded: () => void;
  /** All ports of one job but those that the runner itself is. */
  readonly portsOf: (lease: Lease<PullJob>) => Promise<Omit<CommandPorts, "jobs" | "signal">>;
  /** Told what each room hands on. */
  readonly stepOf: (job: PullJob) => Stage;
}

/** Each does a job of its kind; returns one line on how it ended, and throws as the corridors do. */
export interface JobRunner {
  /** @param overtaken aborted when a later job took its place */
  readonly review: (lease: Lease<ReviewJob>, isLastTry: boolean, overtaken: AbortSignal) => Promise<string>;
  readonly command: (lease: Lease<CommandJob>) => Promise<string>;
  /** Whether a review of a large change would find room. */
  readonly hasRoom: () => boolean;
}

/** Forgotten while it ran, by a process that ended before it did: what is left in the queue names no repository (see Traces). */
const FORGOTTEN = "gone: its repository was forgotten meanwhile";

function isForgotten({ repo }: PullJob): boolean {
  return repo.name === "";
}

export function jobRunner({ queue, onAdded, portsOf, stepOf }: RunnerPorts): JobRunner {
  const running = new Map<string, AbortController>();
  const large = largeReviews();
  const jobs: ReviewJobs = {
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
  };

  async function review(lease: Lease<ReviewJob>, isLastTry: boolean, overtaken: AbortSignal): Promise<string> {
    const { job } = lease;
    if (isForgotten(job)) return FORGOTTEN;
    const controller = new AbortController();
    const { signal } = controller;
    running.set(job.key, controller);
    let done = () => {};
    try {
      const ports = await portsOf(lease);
      const reviews = stoppable(ports.reviews, signal);
      const admitted = large.admit(ports.pulls);
      done = admitted.done;
      const either = AbortSignal.any([signal, overtaken]);
      const given = { ...ports, pulls: admitted.pulls, reviews, signal: either, isLastTry };
      return outcome(await reviewPullRequest(job, given, stoppingStep(stepOf(job), signal)));
    } catch (error) {
      // Whatever broke while stopping broke because of it, or no longer matters: nothing is tried again.
      if (signal.aborted) return `stopped: ${String((signal.reason as Error).message)}`;
      throw error;
    } finally {
      done();
      running.delete(job.key);
    }
  }

  return {
    review,
    hasRoom: large.hasRoom,
    command: async (lease) =>
      isForgotten(lease.job)
        ? FORGOTTEN
        : answerComment(lease.job, { ...(await portsOf(lease)), jobs }, stepOf(lease.job)),
  };
}

/** Enters no further room once somebody said stop. */
function stoppingStep(step: Stage, signal: AbortSignal): Stage {
  return async (room, enter) => {
    signal.throwIfAborted();
    return step(room, enter);
  };
}

/** Reads as before; writes nothing more once somebody said stop, not even between two comments. */
function stoppable(reviews: Reviews, signal: AbortSignal): Reviews {
  const unless = <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      signal.throwIfAborted();
      return write(...args);
    };
  };
  return {
    head: reviews.head,
    postedFindings: reviews.postedFindings,
    outsideDiff: reviews.outsideDiff,
    postReview: unless(reviews.postReview),
    postFileComment: unless(reviews.postFileComment),
    putSummary: unless(reviews.putSummary),
  };
}

function outcome(result: Awaited<ReturnType<typeof reviewPullRequest>>): string {
  if (result.kind !== "posted") return `${result.kind}: ${result.reason}`;
  const lost = result.notRemembered === null ? "" : `; not remembered: ${result.notRemembered}`;
  return `posted ${result.reviewUrl ?? result.summaryUrl}${lost}`;
}
