// Lists, retries and drops jobs from outside, also while servers work on them.
import type { AnyJob } from "../ports.ts";

export type JobState = "waiting" | "running" | "done" | "superseded" | "cancelled" | "parked";

/** A stored job. Durations are milliseconds. */
export interface KeptJob {
  readonly id: number;
  readonly lane: string;
  readonly state: JobState;
  readonly job: AnyJob;
  readonly attempt: number;
  /** Processes that crashed while it ran, since it last made progress. */
  readonly deaths: number;
  /** Until it is due; null unless it waits. */
  readonly dueInMs: number | null;
  /** Since it, or the first job that it replaced, was accepted. */
  readonly ageMs: number;
  /** How its last run ended; null before the first end. */
  readonly outcome: string | null;
}

/** Result of a retry or drop; the reason is a fragment of a sentence. */
export type JobChange = { readonly kind: "changed" } | { readonly kind: "refused"; readonly reason: string };

export interface JobAdmin {
  /** Newest first. */
  list(states: readonly JobState[], most: number): Promise<readonly KeptJob[]>;
  find(id: number): Promise<KeptJob | null>;
  /** Runs it at once, with a fresh attempt count; what was posted is not posted again. */
  retry(id: number): Promise<JobChange>;
  drop(id: number, reason: string): Promise<JobChange>;
}
