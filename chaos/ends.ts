// How rows of a store tell the checker what became of a review: the same words in SQLite and PostgreSQL.
import type { ReviewEnd } from "./ground-truth.ts";
import type { PullName } from "./history.ts";

export interface JobRow {
  readonly id: number;
  readonly key: string;
  readonly state: string;
  readonly attempt: number;
  readonly token: number;
  readonly outcome: string | null;
  readonly head: string | null;
}

type PullOf = (key: string) => PullName;

export function settledReview(
  { key, head, outcome }: { readonly key: string; readonly head: string; readonly outcome: string },
  pullOf: PullOf,
): ReviewEnd {
  const end = outcome === "posted" || outcome === "superseded" || outcome === "stopped" ? outcome : "skipped";
  return { pull: pullOf(key), head, end, reason: outcome };
}

/** A job that posted is told by the review that it settled. */
export function endedJob({ key, state, outcome, head }: JobRow, pullOf: PullOf): ReviewEnd[] {
  if (head === null) return [];
  const told = { pull: pullOf(key), head, reason: outcome ?? "" };
  if (state === "parked" || state === "cancelled" || state === "superseded") return [{ ...told, end: state }];
  if (state !== "done" || outcome?.startsWith("posted") === true) return [];
  return [{ ...told, end: outcome?.startsWith("superseded") === true ? "superseded" : "skipped" }];
}
