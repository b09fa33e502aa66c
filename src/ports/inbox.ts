// The webhook server's port to the store: commit deliveries quickly, or fail.
import type { CommandJob } from "../domain/command.ts";
import type { CancelJob, HeadJobs, Ignored, ReviewJob, UpkeepJob, UpkeepJobs } from "../domain/job.ts";
import type { ReceivedDelivery } from "../ports.ts";

export interface Arrival {
  readonly delivery: ReceivedDelivery;
  readonly outcome: ReviewJob | HeadJobs | CommandJob | CancelJob | UpkeepJobs | Ignored;
  readonly beside: readonly (UpkeepJob | ReviewJob)[];
}

/** The durable inbox. Waits a second for another process's lock; then it throws `Transient`. */
export interface Inbox {
  /**
   * Commits all in one transaction, on disk when this resolves. Returns for each whether it is new:
   * it, or one of the same meaning, was not accepted before. Throws Transient on a lock, a full or
   * read-only disk, Error if one cannot be stored; then none is.
   */
  take(batch: readonly Arrival[]): Promise<readonly boolean[]>;
  /** Writes one row and syncs it; rejects as `take` would. */
  probe(now: number): Promise<void>;
}
