// What follows from a delivery: jobs with their lanes and the keys they are known by.
import type { Arrival } from "../../ports/inbox.ts";
import type { AnyJob, LaneName, Queue } from "../../ports.ts";

export type Outcome = Parameters<Queue["accept"]>[1];

export interface ArrivedJob {
  readonly lane: LaneName;
  readonly job: AnyJob;
  /** What overtakes the one that waits. */
  readonly by: string;
}

export function jobsOf({ outcome, beside }: Arrival): readonly ArrivedJob[] {
  const upkeep = outcome.kind === "upkeep" ? [...outcome.jobs, ...beside] : beside;
  const jobs = upkeep.map((job): ArrivedJob => ({ lane: "upkeep", job, by: job.delivery }));
  if (outcome.kind === "review") return [{ lane: "review", job: outcome, by: outcome.headSha }, ...jobs];
  return outcome.kind === "command" ? [{ lane: "command", job: outcome, by: outcome.delivery }, ...jobs] : jobs;
}

/** Whoever takes the delivery locks these. */
export function keysOf(arrival: Arrival): readonly string[] {
  const { meaning = null } = arrival.delivery;
  const said = meaning === null ? [] : [meaning.slice(0, meaning.lastIndexOf("@"))];
  const ended = arrival.outcome.kind === "cancel" ? [arrival.outcome.key] : [];
  return [...said, ...ended, ...jobsOf(arrival).map(({ job }) => job.key)];
}
