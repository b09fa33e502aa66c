// Signs that a store is worked on, for whoever watches. Methods may throw `Transient`.
import type { LaneName } from "../ports.ts";

/** Whether work comes to its end; times in milliseconds. */
export interface Progress {
  /** Of each lane, the age of its oldest waiting job since it was created; 0 where none waits. */
  readonly oldestWaitingMs: Readonly<Record<LaneName, number>>;
  /** Since a review was last posted; null when none was. */
  readonly sincePostedMs: number | null;
  /** Installations whose last review ended because GitHub refused it. */
  readonly refusedInstallations: number;
}

export interface Signs {
  /** @param now epoch milliseconds */
  progress(now: number): Promise<Progress>;
  /**
   * The latest time, in epoch milliseconds, at which the store is known to have been in use: of its newest delivery, review or
   * model question, when what is old was last removed from it, or when it was restored. Null for an empty store.
   */
  lastUsed(): Promise<number | null>;
}
