// What the log says of each room that a job passes.
import type { Logger } from "pino";
import type { Precedents } from "../domain/retrieval.ts";
import type { Stage } from "../flows/review/review-ports.ts";
import type { PullJob } from "./run-job.ts";

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

// What the log says of a room's value beside how long it took: decisions and sizes, never the text of others.

/**
 * Facts for the log, {} where the value has none. Of precedents: the gate's decision, how long the query text is and what
 * of it was dropped, how many queries were asked, and how many memories were found and used.
 */
function stepFacts(value: unknown): Readonly<Record<string, unknown>> {
  if (!isPrecedents(value)) return {};
  const { gate, query, ranked, provenance, degraded } = value;
  return {
    gate,
    query:
      query === null ? null : { chars: query.text.length, dropped: query.dropped, variants: query.variants.length },
    candidates: provenance.totalCandidates,
    used: ranked.length,
    method: provenance.method,
    degraded,
  };
}

function isPrecedents(value: unknown): value is Precedents {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "precedents";
}
