// Entry module. A delivery becomes a job, or is ignored with a reason, without a request; gather
// decides what depends on the configuration (drafts, labels, branches).

import { createHash } from "node:crypto";
import { z } from "zod";
import type { CommandJob } from "../domain/command.ts";
import {
  type CancelJob,
  type FeedbackJob,
  type HeadJobs,
  type HistoryJob,
  type Ignored,
  jobKey,
  type ReviewJob,
  type Trigger,
  UNSHAPED,
  type UpkeepJob,
  type UpkeepJobs,
  upkeepKey,
} from "../domain/job.ts";
import { labelKey } from "../domain/pull-request.ts";
import { titleFingerprint } from "../domain/review/review-history.ts";
import { holdTag } from "../domain/title-tags.ts";
import {
  type Delivery,
  PullRequestDelivery,
  quoted,
  type Reader,
  type ReceiveOptions,
  RepositoryEvent,
  reader,
  repoOf,
  User,
} from "./delivery.ts";
import { isScan, readCheckRun, readMergeGroup } from "./read-check.ts";
import { readCommand } from "./read-command.ts";
import { COMMENT_READERS } from "./read-comment.ts";
import { UPKEEP_READERS } from "./upkeep-jobs.ts";

const REVIEW_LABEL = "kodiai:review";

/** A parsed delivery. */
export interface Received {
  readonly outcome: Outcome;
  /** Further jobs, which learn from what people did and wrote. */
  readonly followUpJobs: readonly UpkeepJob[];
  /** Recognises the same event under another delivery id; null when a repetition is harmless. */
  readonly dedupKey: string | null;
}

type Outcome = ReviewJob | HeadJobs | CommandJob | CancelJob | UpkeepJobs | Ignored;

/** By event, the X-GitHub-Event of a delivery. */
const READERS: ReadonlyMap<string, Reader<Outcome>> = new Map<string, Reader<Outcome>>([
  ["pull_request", reader(PullRequestDelivery, readPullRequest)],
  ["check_run", readCheckRun],
  ["check_suite", readCheckRun],
  ["merge_group", readMergeGroup],
  ...COMMENT_READERS,
  ...UPKEEP_READERS,
]);

/** The events that are read; every other one is ignored. */
export const READ_EVENTS: readonly string[] = [...READERS.keys()];

/**
 * Reads one delivery. Never throws, for any payload.
 *
 * @param settings the slug is `kodiai` when left out
 */
export function receive(
  delivery: Delivery,
  settings: Omit<ReceiveOptions, "slug"> & Partial<Pick<ReceiveOptions, "slug">>,
): Received {
  const { id, event } = delivery;
  const options = { slug: "kodiai", ...settings };
  const read = READERS.get(event)?.(delivery, options) ?? `event ${quoted(event)} is not handled`;
  const outcome: Outcome = typeof read === "string" ? { kind: "ignored", delivery: id, reason: read } : read;
  const learning = [feedbackJob(delivery, options), closedPullJob(delivery, options.host)];
  const followUpJobs = learning.filter((one) => one !== null);
  if (outcome.kind === "ignored" && followUpJobs.length > 0)
    return { outcome: { kind: "upkeep", delivery: id, jobs: followUpJobs }, followUpJobs: [], dedupKey: null };
  const isOnce = outcome.kind === "review" || outcome.kind === "command";
  return { outcome, followUpJobs, dedupKey: isOnce ? dedupKey(outcome, delivery) : null };
}

const CHECK_EVENTS: ReadonlySet<string> = new Set(["check_run", "check_suite"]);

/** A check of another App than code scanning, or an event of ours other than a re-run request. */
export function isForeignCheck(event: string, payload: unknown, appId: number): boolean {
  if (!CHECK_EVENTS.has(event)) return false;
  const { action, [event]: check } = payload as Readonly<Record<string, unknown>>;
  const { app } = (check ?? {}) as { readonly app?: { readonly id?: unknown; readonly slug?: unknown } | null };
  if (event === "check_run" && isScan(action, app)) return false;
  return action !== "rerequested" || app?.id !== appId;
}

function readPullRequest(
  payload: PullRequestDelivery,
  delivery: Delivery,
  options: ReceiveOptions,
): ReviewJob | CancelJob | string {
  const { action, installation, repository, sender, pull_request: pull } = payload;
  const repo = repoOf(repository, options.host);
  const base = { key: jobKey(repo, pull.number), delivery: delivery.id };
  const ended = ENDS.get(action);
  const head = { delivery: delivery.id, installationId: installation.id, repo, headSha: pull.head.sha };
  if (ended !== undefined) {
    const again = { ...UNSHAPED, kind: "review", ...head, trigger: "verdict", explicit: false } as const;
    return { kind: "cancel", ...base, reason: ended, others: action === "closed" ? again : null };
  }
  const trigger = triggerOf(payload, options);
  if (typeof trigger !== "string") return trigger.reason;
  // Other reasons depend on the configuration and come later: a required check still completes.
  if (pull.state === "closed") return "the pull request is closed";
  // A request by name, which policy does not hold back.
  const isPerson = sender.type !== "Bot";
  const isLabel = action === "labeled" && labelKey(payload.label?.name ?? "") === REVIEW_LABEL;
  const explicit = isPerson && (trigger === "review_requested" || isLabel);
  return {
    ...UNSHAPED,
    kind: "review",
    ...base,
    installationId: installation.id,
    repo,
    number: pull.number,
    headSha: pull.head.sha,
    trigger,
    explicit,
    askedBy: explicit ? { id: sender.id, login: sender.login } : null,
    words: explicit && pull.body !== undefined ? titleFingerprint(pull.title, pull.body) : null,
  };
}

/** Actions that drop waiting jobs of the pull request, with the reason. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ["closed", "closed"],
  ["converted_to_draft", "converted to draft"],
]);

function triggerOf(
  payload: PullRequestDelivery,
  { reviewerLogin }: ReceiveOptions,
): Trigger | { readonly reason: string } {
  const { action, requested_reviewer: reviewer } = payload;
  switch (action) {
    case "edited":
      return keptByEdit(payload) ?? "edited";
    case "review_requested":
      return reviewer && reviewer.login.toLowerCase() === reviewerLogin?.trim().toLowerCase()
        ? "review_requested"
        : { reason: "the review was requested from someone else" };
    default:
      return ORDINARY.find((one) => one === action) ?? { reason: `action ${quoted(action)} is not handled` };
  }
}

/** Actions after which policy may admit the pull request: a job asks it. */
const ORDINARY = ["opened", "reopened", "ready_for_review", "synchronize", "labeled", "unlabeled", "unlocked"] as const;

/** All actions of `pull_request` that ask for a review. */
export const REVIEWED_ACTIONS: readonly string[] = [...ORDINARY, "edited", "review_requested"];

/** Why an edit lets go of nothing, or null: only the configuration knows further hold words. */
function keptByEdit({ changes, pull_request: { title } }: PullRequestDelivery): { readonly reason: string } | null {
  if (changes?.base !== undefined) return null;
  if (changes?.title === undefined)
    return { reason: "edited: neither the base nor a hold tag ([wip], [draft], [no-review]) changed" };
  const tag = holdTag(title);
  return tag === null ? null : { reason: `edited: the title is tagged [${tag}]` };
}

/**
 * A closed pull request, merged or not -> a job that remembers its review comments.
 *
 * @returns null for any other delivery; never throws, for any payload
 */
function closedPullJob({ id, event, payload }: Delivery, host: string): HistoryJob | null {
  if (event !== "pull_request") return null;
  const { data } = PullRequestDelivery.safeParse(payload);
  if (data?.action !== "closed") return null;
  const repo = repoOf(data.repository, host);
  const { number } = data.pull_request;
  return {
    kind: "history",
    key: upkeepKey(repo, "history", number),
    delivery: id,
    installationId: data.installation.id,
    repo,
    trigger: "closed",
    number,
    notBefore: null,
  };
}

const FeedbackDelivery = RepositoryEvent.extend({
  sender: User,
  pull_request: z.object({ number: z.int().positive() }),
  comment: z.object({ in_reply_to_id: z.int().nullish(), body: z.string().nullish() }).nullish(),
  thread: z.object({ node_id: z.string().max(200) }).nullish(),
});

/** `EVENT ACTION` → the job's trigger. */
const TRIGGERS: ReadonlyMap<string, string> = new Map([
  ["pull_request_review_comment created", "reply"],
  ["pull_request_review_thread resolved", "resolved"],
  ["pull_request_review_thread unresolved", "unresolved"],
  ["pull_request_review dismissed", "dismissed"],
  ["pull_request closed", "closed"],
]);

/**
 * A delivery that may carry feedback on our findings -> a job that checks. A schedule covers
 * reactions, of which GitHub sends none, and missed deliveries.
 *
 * @returns null when there is nothing to learn from it; never throws, for any payload
 */
function feedbackJob({ id, event, payload }: Delivery, { slug, host }: ReceiveOptions): FeedbackJob | null {
  const { data } = FeedbackDelivery.safeParse(payload);
  const trigger = data === undefined ? undefined : TRIGGERS.get(`${event} ${data.action}`);
  if (data === undefined || trigger === undefined) return null;
  const { sender, thread, comment } = data;
  // Only a person's reply to us is feedback here; a command's own job records its feedback.
  const isReply = typeof comment?.in_reply_to_id === "number" && (sender.type ?? "User") === "User";
  if (trigger === "reply" && (!isReply || isOrder(comment?.body ?? "", slug))) return null;
  const repo = repoOf(data.repository, host);
  const { number } = data.pull_request;
  const by = { id: sender.id, login: sender.login };
  const unresolved = trigger === "unresolved" && thread ? { threadId: thread.node_id, by } : null;
  return {
    kind: "feedback",
    key: upkeepKey(repo, "feedback", number),
    delivery: id,
    installationId: data.installation.id,
    repo,
    number,
    trigger,
    unresolved,
  };
}

/** A question may be a reply to a finding as well. */
function isOrder(body: string, slug: string): boolean {
  const command = readCommand(body, slug);
  return command?.kind === "verb" && command.verb !== "ask";
}

/** Tells apart events of one kind on one head in one second: labels, titles, repeated pushes. */
const Moment = z.object({
  before: z.string().optional().catch(undefined),
  pull_request: z
    .object({
      updated_at: z.string().optional().catch(undefined),
      title: z.string().optional().catch(undefined),
      base: z.unknown(),
    })
    .optional()
    .catch(undefined),
  label: z.object({ name: z.string() }).optional().catch(undefined),
});

/** 128 bits, so that two events never collide. */
const DIGITS = 32;

/**
 * Recognises the same event under another delivery id.
 *
 * @returns `HOST/REPO_ID#NUMBER@HASH`; the hash covers head, trigger and time of a review, or the
 *   comment of a command. If the payload has no time, it covers the whole payload
 */
function dedupKey(job: ReviewJob | CommandJob, { payload }: Delivery): string {
  const parts = job.kind === "command" ? ["command"] : [job.headSha, job.trigger, ...momentOf(payload)];
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, DIGITS);
  return `${job.key}@${hash}`;
}

function momentOf(payload: unknown): readonly string[] {
  const { data } = Moment.safeParse(payload);
  const at = data?.pull_request?.updated_at;
  if (at === undefined) return [JSON.stringify(payload)];
  const base = z.object({ ref: z.string() }).safeParse(data?.pull_request?.base).data;
  return [at, data?.before ?? "", base?.ref ?? "", data?.pull_request?.title ?? "", data?.label?.name ?? ""];
}
