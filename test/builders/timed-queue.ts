// A queue on a clock that the test moves: each call says at what time it comes.

import type { CommandJob } from "../../src/domain/command.ts";
import type { FeedbackJob, ForgetJob, ReviewJob, UpkeepJob } from "../../src/domain/job.ts";
import type { AnyJob, JobEnd, Lane, Lease, LeaseLimits, Queue } from "../../src/ports.ts";

/** How a job ended, with the time at which it may run again. */
export type TimedEnd =
  | Exclude<JobEnd, { readonly state: "retry" }>
  | { readonly state: "retry"; readonly at: number; readonly reason: string };

export interface TimedLane<Taken extends AnyJob> {
  lease(now: number, limits?: LeaseLimits): Promise<Lease<Taken> | null>;
  end(lease: Lease<Taken>, now: number, end: TimedEnd): Promise<boolean>;
  leaseState: Lane<Taken>["leaseState"];
}

export interface TimedQueue extends TimedLane<ReviewJob>, Pick<Queue, "accept" | "counts"> {
  readonly commands: TimedLane<CommandJob>;
  readonly upkeep: TimedLane<UpkeepJob>;
  add(job: ReviewJob | FeedbackJob | ForgetJob, now: number): Promise<void>;
  drop(key: string, reason: string, now: number): Promise<number>;
  beat(now: number): Promise<number>;
  leave(now: number): Promise<number>;
  /** The queue itself. */
  readonly queue: Queue;
}

/** A clock that stands still until it is set. Epoch milliseconds. */
export interface StillClock {
  now(): number;
  set(now: number): void | Promise<void>;
}

/** `queue` must read `clock`. */
export function timedQueue(queue: Queue, clock: StillClock): TimedQueue {
  const at = async <T>(now: number, work: () => Promise<T>) => {
    await clock.set(now);
    return work();
  };
  return {
    queue,
    ...timedLane(queue, clock),
    commands: timedLane(queue.commands, clock),
    upkeep: timedLane(queue.upkeep, clock),
    accept: (delivery, outcome, beside) => at(delivery.receivedAt, () => queue.accept(delivery, outcome, beside)),
    add: (job, now) => at(now, () => queue.add(job, now)),
    drop: (key, reason, now) => at(now, () => queue.drop(key, reason)),
    beat: (now) => at(now, () => queue.heartbeat()),
    leave: (now) => at(now, () => queue.release()),
    counts: () => queue.counts(),
  };
}

function timedLane<Taken extends AnyJob>(lane: Lane<Taken>, clock: StillClock): TimedLane<Taken> {
  return {
    async lease(now, limits) {
      await clock.set(now);
      return lane.lease(limits);
    },
    async end(lease, now, end) {
      await clock.set(now);
      return lane.end(lease, end.state === "retry" ? { state: "retry", inMs: end.at - now, reason: end.reason } : end);
    },
    leaseState: (lease) => lane.leaseState(lease),
  };
}
