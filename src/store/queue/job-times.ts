// Computes when a new job is due.
import type { AnyJob } from "../../ports.ts";

/** Limits the debouncing of continuous pushes: the first one waits at most so many times the wait. */
const MOST_WAITS = 6;

export interface JobTimes {
  /** When it is due. */
  readonly runAt: number;
  /** Since when its pull request waits for a review; for other jobs the due time. */
  readonly since: number;
}

/**
 * Epoch milliseconds by the queue's clock.
 *
 * @param at the current time on the clock that set the job's `notBefore`. The delay is computed on that clock and added to the
 *   queue's, because the two may differ
 * @param queue the time on the queue's clock, and since when an unstarted review of this pull request waits; null when none
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
