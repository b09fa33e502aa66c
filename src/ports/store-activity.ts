// Activity of a store, for monitoring. Methods may throw `Transient`.
import type { LaneName } from "../ports.ts";

/** Whether jobs get done; times in milliseconds. */
export interface Progress {
  /** Lane → age of its oldest waiting job since creation; 0 when none waits. */
  readonly oldestWaitingMs: Readonly<Record<LaneName, number>>;
  readonly sincePostedMs: number | null;
  /** Installations whose last review ended because GitHub refused it. */
  readonly refusedInstallations: number;
}

export interface StoreActivity {
  /** @param now epoch milliseconds */
  progress(now: number): Promise<Progress>;
  /**
   * The latest known use of the store, in epoch milliseconds: its newest delivery, review or model
   * request, the last removal of expired rows, or its restore. Null for an empty store.
   */
  lastUsed(): Promise<number | null>;
}
