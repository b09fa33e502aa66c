// Somebody asks GitHub to run our check again, alone or with all others: that is a person who asks for a review by name.

import { z } from "zod";
import { jobKey, type Repo, type ReviewJob } from "../domain/job.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { type Delivery, Repository } from "./delivery.ts";

const Check = z.object({
  head_sha: z.string().regex(/^[0-9a-f]{40,64}$/),
  /** Of a run; a suite has none. */
  external_id: z.string().nullish(),
  pull_requests: z.array(z.object({ number: z.int().positive() })).nullish(),
});
const CheckDelivery = z
  .object({
    action: z.string(),
    installation: z.object({ id: z.int() }),
    repository: Repository,
    check_run: Check.optional(),
    check_suite: Check.optional(),
  })
  .transform(({ check_run: run, check_suite: suite, ...rest }, at) => {
    const check = run ?? suite;
    if (check !== undefined) return { ...rest, check };
    at.addIssue({ code: "custom", path: ["check_run"], message: "neither a run nor a suite" });
    return z.NEVER;
  });

/** As we write it, or an earlier version did; GitHub names no pull requests of forks here. */
const EXTERNAL_ID = /^pull\/([1-9]\d{0,9})(?:\/[0-9a-f]{1,64})?$/;

/**
 * @param repoOf the repository in our words
 * @returns a review that was asked for by name, or why there is none
 */
export function readCheckRun(
  delivery: Delivery,
  host: string,
  repoOf: (repository: z.infer<typeof Repository>) => Repo,
): ReviewJob | string {
  const parsed = CheckDelivery.safeParse(delivery.payload);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `malformed payload: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not an object"}`;
  }
  const { action, check, installation, repository } = parsed.data;
  if (action !== "rerequested") return `check run: action ${JSON.stringify(cutText(action, 40))} asks nothing of us`;
  const named = EXTERNAL_ID.exec(check.external_id ?? "")?.[1];
  const number = named === undefined ? check.pull_requests?.[0]?.number : Number(named);
  if (number === undefined) return "the check run belongs to no pull request that we know";
  return {
    kind: "review",
    key: jobKey({ host, id: repository.id }, number),
    delivery: delivery.id,
    installationId: installation.id,
    repo: repoOf(repository),
    number,
    headSha: check.head_sha,
    trigger: "rerequested",
    explicit: true,
  };
}
