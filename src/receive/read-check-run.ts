// A re-run of our check run or check suite, requested on GitHub, is an explicit request for a review.

import { z } from "zod";
import { jobKey, type ReviewJob } from "../domain/job.ts";
import { Around, type Delivery, malformed, quoted, repoOf, Sha, User } from "./delivery.ts";

const Check = z.object({
  head_sha: Sha,
  /** Only check runs have one, suites do not. */
  external_id: z.string().nullish(),
  pull_requests: z.array(z.object({ number: z.int().positive() })).nullish(),
});
const CheckDelivery = Around.extend({
  sender: User.optional(),
  check_run: Check.optional(),
  check_suite: Check.optional(),
}).transform(({ check_run: run, check_suite: suite, ...rest }, at) => {
  const check = run ?? suite;
  if (check !== undefined) return { ...rest, check };
  at.addIssue({ code: "custom", path: ["check_run"], message: "neither a run nor a suite" });
  return z.NEVER;
});

/** Written by this version or an earlier one, because GitHub lists no pull requests from forks in the payload. */
const EXTERNAL_ID = /^pull\/([1-9]\d{0,9})(?:\/[0-9a-f]{1,64})?$/;

/** An explicitly requested review, or why there is none. */
export function readCheckRun(delivery: Delivery, host: string): ReviewJob | string {
  const parsed = CheckDelivery.safeParse(delivery.payload);
  if (!parsed.success) return malformed(parsed.error);
  const { action, check, installation, repository, sender } = parsed.data;
  if (action !== "rerequested") return `check run: action ${quoted(action)} is not handled`;
  const named = EXTERNAL_ID.exec(check.external_id ?? "")?.[1];
  const number = named === undefined ? check.pull_requests?.[0]?.number : Number(named);
  if (number === undefined) return "the check run belongs to no pull request that we know";
  return {
    kind: "review",
    key: jobKey({ host, id: repository.id }, number),
    delivery: delivery.id,
    installationId: installation.id,
    repo: repoOf(repository, host),
    number,
    headSha: check.head_sha,
    trigger: "rerequested",
    explicit: true,
    ...(sender === undefined ? {} : { askedBy: { id: sender.id, login: sender.login } }),
  };
}
