// A delivery that made a job -> what it says, so that the same event under another delivery id is known again.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { CommandJob } from "../domain/command.ts";
import type { ReviewJob } from "../domain/job.ts";
import type { Delivery } from "./delivery.ts";

/** What tells two events of one kind on one head apart: a label taken off and set again, two pushes that meet at one head. */
const Moment = z.object({
  before: z.string().optional().catch(undefined),
  pull_request: z
    .object({ updated_at: z.string().optional().catch(undefined), base: z.unknown() })
    .optional()
    .catch(undefined),
});

/** 128 bits: no two events meet by chance. */
const DIGITS = 32;

/**
 * @returns `HOST/REPO_ID#NUMBER@HASH` over repository, pull request, head, trigger and moment of a review that was asked for,
 * or over the comment of a command. Where GitHub tells no moment, the whole payload stands for it.
 */
export function meaning(job: ReviewJob | CommandJob, { payload }: Delivery): string {
  const said = job.kind === "command" ? ["command"] : [job.headSha, job.trigger, ...momentOf(payload)];
  const hash = createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, DIGITS);
  return `${job.key}@${hash}`;
}

function momentOf(payload: unknown): readonly string[] {
  const { data } = Moment.safeParse(payload);
  const at = data?.pull_request?.updated_at;
  if (at === undefined) return [JSON.stringify(payload)];
  const base = z.object({ ref: z.string() }).safeParse(data?.pull_request?.base).data;
  return [at, data?.before ?? "", base?.ref ?? ""];
}
