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
   * Commits all of them in one transaction; they are on disk when this resolves. Returns for each
   * whether it is new: false when it, or one with the same meaning, was accepted before. Throws
   * Transient on a lock, a full or a read-only disk, and Error when one of them cannot be stored;
   * then none is.
   */
  take(batch: readonly Arrival[]): Promise<readonly boolean[]>;
  /** Writes one row and syncs it; rejects as `take` would. */
  probe(now: number): Promise<void>;
}
