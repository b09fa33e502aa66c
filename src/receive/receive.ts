// Door. A delivery becomes a job, or is ignored with a reason: decided from the delivery alone, without asking anyone.
// What needs the repository's configuration (drafts, labels, branches) is decided in gather.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { CommandJob } from "../domain/command.ts";
import { dependencyBot } from "../domain/dependency-update.ts";
import {
  type CancelJob,
  closedPullKey,
  type FeedbackJob,
  feedbackKey,
  type HistoryJob,
  type Ignored,
  jobKey,
  type Repo,
  type ReviewJob,
  type Trigger,
  type UpkeepJob,
  type UpkeepJobs,
} from "../domain/job.ts";
import { titleFingerprint } from "../domain/review/title-fingerprint.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { type Delivery, PullRequestDelivery, Repository, User, visibilityOf } from "./delivery.ts";
import { readCheckRun } from "./read-check-run.ts";
import { readCommand } from "./read-command.ts";
import { COMMENT_EVENTS, readComment } from "./read-comment.ts";
import { readMergeGroup } from "./read-merge-group.ts";
import { isUpkeepEvent, upkeepJobs } from "./upkeep-jobs.ts";

/** The label by which people ask for a review. */
export const REVIEW_LABEL = "kodiai:review";

/** What receive must know of this installation of Kodiai. */
export interface Reception {
  /** `github.com` or the GHES host: part of a job's key. */
  readonly host: string;
  /** Requesting a review from this login asks for one; null when not configured. */
  readonly reviewerLogin: string | null;
  /** The app's own name, without `[bot]`: `kodiai` when left out. */
  readonly slug?: string;
}

/** What follows from a delivery. */
export interface Received {
  readonly outcome: Outcome;
  /** Jobs beside it, which learn what people did and said. */
  readonly beside: readonly UpkeepJob[];
  /** What the delivery says, so that it is known again under another id; null where saying it twice does no harm. */
  readonly meaning: string | null;
}

type Outcome = ReviewJob | CommandJob | CancelJob | UpkeepJobs | Ignored;

/**
 * Reads one delivery.
 *
 * @returns as its outcome a job, a cancellation, jobs that keep memory in step with repositories, or `Ignored` with a reason; never
 * throws, whatever the payload is
 */
export function receive(delivery: Delivery, reception: Reception): Received {
  const outcome = outcomeOf(delivery, reception);
  const repo = (repository: PullRequestDelivery["repository"]) => repoOf(repository, reception);
  const learning = [feedbackJob(delivery, reception.slug ?? "kodiai", repo), closedPullJob(delivery, repo)];
  const beside = learning.filter((one) => one !== null);
  if (outcome.kind === "ignored" && beside.length > 0)
    return { outcome: { kind: "upkeep", delivery: delivery.id, jobs: beside }, beside: [], meaning: null };
  const isOnce = outcome.kind === "review" || outcome.kind === "command";
  return { outcome, beside, meaning: isOnce ? meaning(outcome, delivery) : null };
}

function outcomeOf(delivery: Delivery, reception: Reception): Outcome {
  if (isUpkeepEvent(delivery.event)) return upkeepJobs(delivery, reception.host);
  const job = jobOf(delivery, reception);
  return typeof job === "string" ? { kind: "ignored", delivery: delivery.id, reason: job } : job;
}

const CHECK_EVENTS: ReadonlySet<string> = new Set(["check_run", "check_suite"]);
const READ_EVENTS: ReadonlySet<string> = new Set(["pull_request", "pull_request_review_thread", "merge_group"]);

/** Whether anything of such an event is ever read. */
function isReadEvent(event: string): boolean {
  return READ_EVENTS.has(event) || CHECK_EVENTS.has(event) || COMMENT_EVENTS.has(event) || isUpkeepEvent(event);
}

/** True for a check of another App, and for anything about ours but the wish to run it again: not worth keeping. */
export function isForeignCheck(event: string, payload: unknown, appId: number): boolean {
  if (!CHECK_EVENTS.has(event)) return false;
  const { action, [event]: check } = payload as Readonly<Record<string, unknown>>;
  const { app } = (check ?? {}) as { readonly app?: { readonly id?: unknown } | null };
  return action !== "rerequested" || app?.id !== appId;
}

/**
 * What is asked for again first when it was missed: people wait for an answer to what they wrote.
 *
 * @param action null where the event has none
 * @returns 0 before 1; null for what would not be kept
 */
export function missedRank(event: string, action: string | null): 0 | 1 | null {
  if (CHECK_EVENTS.has(event) && action !== "rerequested") return null;
  if (!isReadEvent(event)) return null;
  return COMMENT_EVENTS.get(event) === action ? 0 : 1;
}

/** The job, or one line on why there is none. */
function jobOf(delivery: Delivery, reception: Reception): ReviewJob | CommandJob | CancelJob | string {
  const repo = (repository: PullRequestDelivery["repository"]) => repoOf(repository, reception);
  if (COMMENT_EVENTS.has(delivery.event)) return readComment(delivery, reception.slug ?? "kodiai", repo);
  if (delivery.event === "check_run" || delivery.event === "check_suite")
    return readCheckRun(delivery, reception.host, repo);
  if (delivery.event === "merge_group") return readMergeGroup(delivery, repo);
  if (delivery.event === "pull_request") return readPullRequest(delivery, reception);
  return `event ${short(delivery.event)} asks nothing of us`;
}

function readPullRequest(delivery: Delivery, reception: Reception): ReviewJob | CancelJob | string {
  const parsed = PullRequestDelivery.safeParse(delivery.payload);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `malformed payload: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not an object"}`;
  }
  const payload = parsed.data;

  const ended = ENDS.get(payload.action);
  if (ended !== undefined) {
    const key = jobKey({ host: reception.host, id: payload.repository.id }, payload.pull_request.number);
    return { kind: "cancel", key, delivery: delivery.id, reason: ended };
  }

  const trigger = triggerOf(payload, reception);
  if (typeof trigger !== "string") return trigger.reason;
  const refusal = refusalOf(payload, trigger);
  if (refusal !== null) return refusal;
  return job(delivery, payload, reception, trigger);
}

/** Actions after which what waits for the pull request is dropped, and why. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ["closed", "closed"],
  ["converted_to_draft", "converted to draft"],
]);

function job(delivery: Delivery, payload: PullRequestDelivery, reception: Reception, trigger: Trigger): ReviewJob {
  const { repository, pull_request: pull } = payload;
  const explicit = isByName(trigger);
  return {
    kind: "review",
    key: jobKey({ host: reception.host, id: repository.id }, pull.number),
    delivery: delivery.id,
    installationId: payload.installation.id,
    repo: repoOf(repository, reception),
    number: pull.number,
    headSha: pull.head.sha,
    trigger,
    explicit,
    ...(explicit ? { askedBy: { id: payload.sender.id, login: payload.sender.login } } : {}),
    ...(explicit && pull.body !== undefined ? { words: titleFingerprint(pull.title, pull.body) } : {}),
  };
}

function repoOf(repository: PullRequestDelivery["repository"], { host }: Reception): Repo {
  const { id, name, owner } = repository;
  return {
    host,
    id,
    ownerId: owner.id,
    owner: owner.login,
    name,
    visibility: visibilityOf(repository),
  };
}

function triggerOf(payload: PullRequestDelivery, reception: Reception): Trigger | { readonly reason: string } {
  const { action } = payload;
  switch (action) {
    case "opened":
    case "reopened":
    case "ready_for_review":
    case "synchronize":
      return action;
    case "edited":
      return editAsksForReview(payload) ? "edited" : { reason: "edited: neither base nor a holding tag changed" };
    case "labeled":
      return payload.label?.name === REVIEW_LABEL ? "labeled" : { reason: `label is not ${REVIEW_LABEL}` };
    case "review_requested":
      return isOurs(payload.requested_reviewer?.login, reception)
        ? "review_requested"
        : { reason: "the review was requested from someone else" };
    default:
      return { reason: `action ${short(action)} asks nothing of us` };
  }
}

/** What else stands against a review needs the configuration: a required check comes to an end all the same. */
function refusalOf({ pull_request: pull }: PullRequestDelivery, trigger: Trigger): string | null {
  if (pull.state === "closed") return "the pull request is closed";
  const isBot = pull.user.type === "Bot" && dependencyBot(pull.user.id) === null;
  return isBot && isByName(trigger) ? "opened by a bot" : null;
}

/** True where somebody asks for the review by name: policy does not hold it back. */
function isByName(trigger: Trigger): boolean {
  return trigger === "labeled" || trigger === "review_requested";
}

/** The base branch changed, or a tag that held the review back left the title. */
function editAsksForReview(payload: PullRequestDelivery): boolean {
  if (payload.changes?.base !== undefined) return true;
  const before = payload.changes?.title?.from;
  return before !== undefined && isHeldBack(before) && !isHeldBack(payload.pull_request.title);
}

const HOLDING_TAG = /\[\s{0,3}(?:wip|draft|no-review)\s{0,3}\]|^\s{0,3}wip\b/i;

function isHeldBack(title: string): boolean {
  return HOLDING_TAG.test(title.slice(0, 500));
}

function isOurs(login: string | undefined, { reviewerLogin }: Reception): boolean {
  return login !== undefined && reviewerLogin !== null && login.toLowerCase() === reviewerLogin.trim().toLowerCase();
}

function short(text: string): string {
  return JSON.stringify(cutText(text, 40));
}

// A pull request that was closed, merged or not -> a job that remembers what people said on it.

/**
 * @param repoOf the repository of a payload, in our words
 * @returns null for any other delivery; never throws, whatever the payload is
 */
function closedPullJob(
  { id, event, payload }: Delivery,
  repoOf: (repository: PullRequestDelivery["repository"]) => Repo,
): HistoryJob | null {
  if (event !== "pull_request") return null;
  const { data } = PullRequestDelivery.safeParse(payload);
  if (data?.action !== "closed") return null;
  const repo = repoOf(data.repository);
  const { number } = data.pull_request;
  return {
    kind: "history",
    key: closedPullKey(repo, number),
    delivery: id,
    installationId: data.installation.id,
    repo,
    trigger: "closed",
    number,
  };
}

// Deliveries after which people may have done something about a finding of ours -> a job that looks. Reactions are never
// delivered: a schedule covers them, and whatever was missed.

const FeedbackDelivery = z.object({
  action: z.string(),
  installation: z.object({ id: z.int() }),
  repository: Repository,
  sender: User,
  pull_request: z.object({ number: z.int().positive() }),
  comment: z.object({ in_reply_to_id: z.int().nullish(), body: z.string().nullish() }).nullish(),
  thread: z.object({ node_id: z.string().max(200) }).nullish(),
});

/** `EVENT ACTION` → what it is called in the job. */
const TRIGGERS: ReadonlyMap<string, string> = new Map([
  ["pull_request_review_comment created", "reply"],
  ["pull_request_review_thread resolved", "resolved"],
  ["pull_request_review_thread unresolved", "unresolved"],
  ["pull_request_review dismissed", "dismissed"],
  ["pull_request closed", "closed"],
]);

/**
 * @param slug the app's own name, without `[bot]`
 * @param repoOf the repository of a payload, in our words
 * @returns null when nothing is to be learnt from it; never throws, whatever the payload is
 */
function feedbackJob(
  { id, event, payload }: Delivery,
  slug: string,
  repoOf: (repository: z.infer<typeof Repository>) => Repo,
): FeedbackJob | null {
  const { data } = FeedbackDelivery.safeParse(payload);
  const trigger = data === undefined ? undefined : TRIGGERS.get(`${event} ${data.action}`);
  if (data === undefined || trigger === undefined) return null;
  const { sender, thread, comment } = data;
  if (trigger === "reply" && !(isReply(comment) && isPerson(sender) && !isOrder(comment?.body ?? "", slug)))
    return null;
  const repo = repoOf(data.repository);
  const { number } = data.pull_request;
  const by = { id: sender.id, login: sender.login };
  const unresolved = trigger === "unresolved" && thread ? { threadId: thread.node_id, by } : null;
  return {
    kind: "feedback",
    key: feedbackKey(repo, number),
    delivery: id,
    installationId: data.installation.id,
    repo,
    number,
    trigger,
    ...(unresolved === null ? {} : { unresolved }),
  };
}

type FeedbackDelivery = z.infer<typeof FeedbackDelivery>;

/** Only a reply can be about something that we said. */
function isReply(comment: FeedbackDelivery["comment"]): boolean {
  return typeof comment?.in_reply_to_id === "number";
}

/** What bots write teaches nothing. */
function isPerson({ type }: FeedbackDelivery["sender"]): boolean {
  return (type ?? "User") === "User";
}

/** What a command says about a finding is noted where it is obeyed; a question may be an answer as well. */
function isOrder(body: string, slug: string): boolean {
  const command = readCommand(body, slug);
  return command?.kind === "verb" && command.verb !== "ask";
}

// A delivery that made a job -> what it says, so that the same event under another delivery id is known again.

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
function meaning(job: ReviewJob | CommandJob, { payload }: Delivery): string {
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
