// Checks that GitHub requests from us.

import { z } from "zod";
import { type HeadJobs, jobKey, type ReviewJob, UNSHAPED } from "../domain/job.ts";
import { quoted, type Reader, RepositoryEvent, reader, repoOf, Sha, User } from "./delivery.ts";

const Check = z.object({
  head_sha: Sha,
  /** Only check runs have one, suites do not. */
  external_id: z.string().nullish(),
  pull_requests: z.array(z.object({ number: z.int().positive() })).nullish(),
  app: z.object({ slug: z.string() }).partial().nullish().catch(undefined),
});

/** The App of code scanning: its check run ends when GitHub has taken over a tool's results. */
const SCANNER = "github-advanced-security";

/** Whether a check that ended is of code scanning; who uploads cannot choose the App. */
export function isScan(action: unknown, app: { readonly slug?: unknown } | null | undefined): boolean {
  return action === "completed" && app?.slug === SCANNER;
}

const CheckDelivery = RepositoryEvent.extend({
  sender: User.optional(),
  check_run: Check.optional(),
  check_suite: Check.optional(),
}).transform(({ check_run: run, check_suite: suite, ...rest }, at) => {
  const check = run ?? suite;
  if (check !== undefined) return { ...rest, check };
  at.addIssue({ code: "custom", path: ["check_run"], message: "neither a run nor a suite" });
  return z.NEVER;
});

/** Written by us: GitHub lists no pull requests from forks in the payload. */
const EXTERNAL_ID = /^pull\/([1-9]\d{0,9})(?:\/[0-9a-f]{1,64})?$/;

/**
 * A re-run of our check, requested on GitHub, asks for a review of each pull request with that
 * head: of forks' the payload names none. After a scan those that we know are looked at again.
 */
export const readCheckRun: Reader<HeadJobs> = reader(CheckDelivery, (payload, delivery, { host }) => {
  const { action, check, installation, repository, sender } = payload;
  const hasScanned = delivery.event === "check_run" && isScan(action, check.app);
  if (action !== "rerequested" && !hasScanned) return `check run: action ${quoted(action)} is not handled`;
  const head = { delivery: delivery.id, installationId: installation.id, repo: repoOf(repository, host) };
  const each = { ...UNSHAPED, kind: "review", ...head, headSha: check.head_sha } as const;
  const heads = { kind: "heads", delivery: delivery.id } as const;
  if (hasScanned) return { ...heads, named: [], each: { ...each, trigger: "scanned", explicit: false } };
  const own = EXTERNAL_ID.exec(check.external_id ?? "")?.[1];
  const listed = (check.pull_requests ?? []).map(({ number }) => number);
  const askedBy = sender === undefined ? null : { id: sender.id, login: sender.login };
  return {
    ...heads,
    named: own === undefined ? listed : [Number(own), ...listed],
    each: { ...each, trigger: "rerequested", explicit: true, askedBy },
  };
});

const MergeGroupDelivery = RepositoryEvent.extend({
  merge_group: z.object({ head_sha: Sha, base_sha: Sha, head_ref: z.string().max(1_000) }),
});

/** `refs/heads/gh-readonly-queue/BRANCH/pr-NUMBER-SHA`: the last pull request of the group. */
const NUMBER = /\/pr-([1-9]\d{0,9})-[0-9a-f]{40,64}$/;

/** A merge queue requests checks on its commit: the job completes our check without a review. */
export const readMergeGroup: Reader<ReviewJob> = reader(MergeGroupDelivery, (payload, delivery, { host }) => {
  const { action, installation, repository, merge_group: group } = payload;
  if (action !== "checks_requested") return `merge group: action ${quoted(action)} is not handled`;
  const number = NUMBER.exec(group.head_ref)?.[1];
  if (number === undefined) return "the merge group names no pull request";
  const repo = repoOf(repository, host);
  return {
    ...UNSHAPED,
    kind: "review",
    // Its own key, so that it and the jobs of its pull request do not replace each other.
    key: `${jobKey(repo, Number(number))}!merge-${group.head_sha}`,
    delivery: delivery.id,
    installationId: installation.id,
    repo,
    number: Number(number),
    headSha: group.head_sha,
    baseSha: group.base_sha,
    trigger: "merge_group",
    explicit: false,
  };
});
