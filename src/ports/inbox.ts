// What the door asks of the store: keep deliveries, quickly or not at all.
import type { CommandJob } from "../domain/command.ts";
import type { CancelJob, Ignored, ReviewJob, UpkeepJob, UpkeepJobs } from "../domain/job.ts";
import type { ReceivedDelivery } from "../ports.ts";

/** A delivery and all that follows from it. */
export interface Arrival {
  readonly delivery: ReceivedDelivery;
  readonly outcome: ReviewJob | CommandJob | CancelJob | UpkeepJobs | Ignored;
  /** Jobs of the upkeep lane that follow from it as well. */
  readonly beside: readonly UpkeepJob[];
}

/** The durable inbox. It waits for another process's lock for about a second, without blocking; then it throws `Transient`. */
export interface Inbox {
  /**
   * Commits all of them in one transaction, on disk when this resolves.
   *
   * @returns for each whether it is new: false when it, or one that means the same, was taken before
   * @throws Transient on a lock, a full or a read-only disk; Error when one of them cannot be kept. Then none is kept.
   */
  take(batch: readonly Arrival[]): Promise<readonly boolean[]>;
  /** Writes one row and syncs it, as `take` would: rejects as `take` would. */
  probe(now: number): Promise<void>;
}
