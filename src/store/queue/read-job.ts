import { UNSHAPED } from "../../domain/job.ts";
import type { AnyJob } from "../../ports.ts";

const COMMENTED = { words: null, description: "" };

/** Jobs of older versions lack members. */
const BEFORE = {
  command: {},
  describe: { after: null },
  feedback: { unresolved: null },
  forget: { asked: 0, notBefore: null },
  history: { number: null, notBefore: null },
  index: { after: null },
  label: {},
  review: UNSHAPED,
} satisfies { [Kind in AnyJob["kind"]]: Partial<Extract<AnyJob, { readonly kind: Kind }>> };

/** A stored job. */
export function readJob<One extends AnyJob = AnyJob>(json: string): One {
  const read = JSON.parse(json) as One;
  const job = { ...BEFORE[read.kind], ...read };
  return job.kind === "command" ? { ...job, pull: { ...COMMENTED, ...job.pull } } : job;
}
