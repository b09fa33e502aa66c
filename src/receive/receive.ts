// Door. A delivery becomes a job, or is ignored with a reason: decided from the delivery alone, without asking anyone.
// What needs the repository's configuration (drafts, labels, branches) is decided in gather.

import type { CommandJob } from "../domain/command.ts";
import { dependencyBot } from "../domain/dependency-update.ts";
import {
  type CancelJob,
  type FeedbackJob,
  type HistoryJob,
  type Ignored,
  jobKey,
  type Repo,
  type ReviewJob,
  type Trigger,
  type UpkeepJobs,
} from "../domain/job.ts";
import { askedWords } from "../domain/review/title-fingerprint.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { closedPullJob } from "./closed-pull-job.ts";
import { type Delivery, PullRequestDelivery, visibilityOf } from "./delivery.ts";
import { feedbackJob } from "./feedback-job.ts";
import { meaning } from "./meaning.ts";
import { readCheckRun } from "./read-check-run.ts";
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

/**
 * Reads one delivery.
 *
 * @returns a job, a cancellation, jobs that keep memory in step with repositories, or `Ignored` with a reason; never throws, whatever the payload is
 */
export function receive(
  delivery: Delivery,
  reception: Reception,
): ReviewJob | CommandJob | CancelJob | UpkeepJobs | Ignored {
  if (isUpkeepEvent(delivery.event)) return upkeepJobs(delivery, reception.host);
  const job = jobOf(delivery, reception);
  return typeof job === "string" ? { kind: "ignored", delivery: delivery.id, reason: job } : job;
}

/** A delivery after which people may have acted on our findings, as a job of its own beside what `receive` makes of it; else null. */
export function receiveFeedback(delivery: Delivery, reception: Reception): FeedbackJob | null {
  return feedbackJob(delivery, reception.slug ?? "kodiai", (repository) => repoOf(repository, reception));
}

/** A pull request that was closed, as a job of its own that remembers what people said on it; else null. */
export function receiveClosed(delivery: Delivery, reception: Reception): HistoryJob | null {
  return closedPullJob(delivery, (repository) => repoOf(repository, reception));
}

/** What a delivery says, so that it is known again under another id; null where saying it twice does no harm. */
export function receivedMeaning(delivery: Delivery, received: ReturnType<typeof receive>): string | null {
  return received.kind === "review" || received.kind === "command" ? meaning(received, delivery) : null;
}

const CHECK_EVENTS: ReadonlySet<string> = new Set(["check_run", "check_suite"]);
const READ_EVENTS: ReadonlySet<string> = new Set(["pull_request", "pull_request_review_thread", "merge_group"]);

/** Whether anything of such an event is ever read: of others the payload is not even parsed. */
export function isReadEvent(event: string): boolean {
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
    ...(explicit && pull.body !== undefined ? { words: askedWords(pull.title, pull.body) } : {}),
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
