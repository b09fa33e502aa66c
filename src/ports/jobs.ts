// Looking at jobs from outside, and having one tried again or taken out; also while servers work on them.
import type { AnyJob } from "../ports.ts";

export type JobState = "waiting" | "running" | "done" | "superseded" | "cancelled" | "parked";

/** A job as it is. Durations are milliseconds. */
export interface KeptJob {
  readonly id: number;
  readonly lane: string;
  readonly state: JobState;
  readonly job: AnyJob;
  readonly attempt: number;
  /** Processes that died while it ran, since it last made progress. */
  readonly deaths: number;
  /** How long until it may run; null unless it waits. */
  readonly dueInMs: number | null;
  /** Since it, or the first that it took the place of, was accepted. */
  readonly ageMs: number;
  /** How it ended, or why it waits again; null before the first end. */
  readonly outcome: string | null;
}

/** What became of a wish; the reason is a fragment of a sentence. */
export type JobChange = { readonly kind: "changed" } | { readonly kind: "refused"; readonly reason: string };

export interface JobAdmin {
  /** Newest first. */
  list(states: readonly JobState[], most: number): Promise<readonly KeptJob[]>;
  find(id: number): Promise<KeptJob | null>;
  /** It runs at once and as if for the first time; what is posted already is not posted again. */
  retry(id: number): Promise<JobChange>;
  /** It never runs. */
  drop(id: number, reason: string): Promise<JobChange>;
}
