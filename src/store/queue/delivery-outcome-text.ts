// What is kept of a delivery beside its id: in a few words what became of it.
import type { Queue } from "../../ports.ts";

/** `synchronize`, `review`, `push`, `3 jobs`; of what was ignored, why. */
export function keptReason(outcome: Parameters<Queue["accept"]>[1]): string {
  if (outcome.kind === "review") return outcome.trigger;
  if (outcome.kind === "command") return outcome.command.kind === "verb" ? outcome.command.verb : outcome.command.kind;
  if (outcome.kind !== "upkeep") return outcome.reason;
  const [first] = outcome.jobs;
  return outcome.jobs.length === 1 && first !== undefined
    ? `${first.kind}: ${first.trigger}`
    : `${outcome.jobs.length} jobs`;
}
