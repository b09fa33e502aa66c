import type { ReviewJob } from "../../../src/domain/job.ts";
import type { Lease } from "../../../src/ports.ts";
import type { Records } from "../../../src/wire/store.ts";
import type { TimedQueue as Queue } from "../../builders/timed-queue.ts";

/** An empty store: its books, the queue beside them, and a clock that only the test moves. */
export interface StateStoreHarness {
  readonly queue: Queue;
  readonly stores: Records;
  /** Lets so many milliseconds pass. */
  pass(ms: number): void | Promise<void>;
}

export type OpenStateStores = () => Promise<StateStoreHarness>;

/**
 * Repositories whose ids begin alike: what is looked for by the beginning of a key must tell them
 * apart.
 */
export const SHOP = { host: "github.com", id: 42 } as const;
export const NEIGHBOURS = [
  { host: "github.com", id: 421 },
  { host: "github.com", id: 4 },
  { host: "ghe.example.com", id: 42 },
] as const;

/** The job in the queue, and held. */
export async function heldJob(queue: Queue, job: ReviewJob, at = 1): Promise<Lease> {
  await queue.add(job, at);
  const lease = await queue.lease(at);
  if (lease === null) throw new Error("the job cannot be leased");
  return lease;
}
