// The few fields of a webhook that Kodiai reads. Everything else of the payload is dropped at the edge.
import { z } from "zod";

const User = z.object({ login: z.string(), id: z.int(), type: z.string().optional() });

export const Repository = z.object({
  id: z.int(),
  name: z.string(),
  private: z.boolean().optional(),
  visibility: z.enum(["public", "private", "internal"]).optional(),
  owner: z.object({ login: z.string(), id: z.int() }),
});

export const PullRequestDelivery = z.object({
  action: z.string(),
  installation: z.object({ id: z.int() }),
  repository: Repository,
  sender: User,
  pull_request: z.object({
    number: z.int().positive(),
    title: z.string(),
    state: z.enum(["open", "closed"]),
    draft: z.boolean().optional(),
    locked: z.boolean().optional(),
    user: User,
    head: z.object({ sha: z.string().regex(/^[0-9a-f]{40,64}$/) }),
  }),
  label: z.object({ name: z.string() }).optional(),
  requested_reviewer: z.object({ login: z.string() }).nullish(),
  changes: z
    .object({
      title: z.object({ from: z.string() }).optional(),
      base: z.unknown().optional(),
    })
    .optional(),
});
export type PullRequestDelivery = z.infer<typeof PullRequestDelivery>;

/** A webhook whose signature was checked. `payload` is parsed JSON of any shape. */
export interface Delivery {
  /** X-GitHub-Delivery: the same for a redelivery. */
  readonly id: string;
  /** X-GitHub-Event: `pull_request`. */
  readonly event: string;
  readonly payload: unknown;
}
