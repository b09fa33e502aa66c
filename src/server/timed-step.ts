// What the log says of each room that a job passes.
import type { Logger } from "pino";
import type { Stage } from "../flows/review/review-ports.ts";
import type { PullJob } from "./run-job.ts";
import { stepFacts } from "./step-facts.ts";

export interface StepOptions {
  readonly log: Logger;
  /** Told what each room hands on; the demo prints it. */
  readonly onStep?: (job: PullJob, room: string, value: unknown, ms: number) => void;
}

/** The step of a job's walk: each room's time and figures in the log, and what is wrong with memory as a warning. */
export function timedStep(job: PullJob, options: StepOptions): Stage {
  return async (room, enter) => {
    const started = performance.now();
    const value = await enter();
    const ms = Math.round(performance.now() - started);
    options.log.debug({ job: job.key, room, ms, ...stepFacts(value) }, "room");
    const trouble = memoryTrouble(room, value);
    if (trouble !== null) options.log.warn({ job: job.key, room, ...trouble }, "memory is degraded");
    options.onStep?.(job, room, value, ms);
    return value;
  };
}

/** What went wrong with memory in a room: one warning a review. The review's footer says it too, where it still can. */
function memoryTrouble(room: string, value: unknown): object | null {
  if ((room !== "retrieve" && room !== "remember") || typeof value !== "object" || value === null) return null;
  if ("reason" in value) return { reason: value.reason };
  const { degraded, refused } = { degraded: [], refused: [], ...value } as Record<string, readonly unknown[]>;
  return degraded?.length === 0 && refused?.length === 0 ? null : { degraded, refused };
}
