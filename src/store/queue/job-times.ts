// When a job runs that comes into the queue.
import type { AnyJob } from "../../ports.ts";

/** Pushes that never stop do not put off the review for ever: the first of them waits so many times as long at most. */
const MOST_WAITS = 6;

export interface JobTimes {
  /** The earliest time at which it runs. */
  readonly runAt: number;
  /** Since when its pull request waits for a review; any other job waits from the time at which it may run. */
  readonly since: number;
}

/**
 * Epoch milliseconds by the queue's clock.
 *
 * @param at what the clock showed by which the job's `notBefore` was set. How long a job waits follows from that clock, and from
 *   when on from the queue's: the first may have been set since
 * @param queue what the queue's clock shows, and since when a review of this pull request waits that was not begun; null when none
 */
export function jobTimes(
  job: AnyJob,
  at: number,
  { now, first }: { readonly now: number; readonly first: number | null },
): JobTimes {
  const notBefore = "notBefore" in job ? job.notBefore : undefined;
  const wait = Math.max(0, Math.ceil(notBefore ?? at) - at);
  if (job.kind !== "review") return { runAt: now + wait, since: now + wait };
  const since = first ?? now;
  return { runAt: Math.max(now, Math.min(now + wait, since + MOST_WAITS * wait)), since };
}
