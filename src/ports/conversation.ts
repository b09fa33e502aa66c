// Ports of conversations: permissions, threads, answers and reactions, and earlier decisions and
// reviews. Methods may throw `Transient` unless documented otherwise.
import type { AccessLevel, AskingComment } from "../domain/command.ts";
import type { Declined, PullDecisions, ThreadComment } from "../domain/conversation.ts";
import type { Finding } from "../domain/finding.ts";
import type { Repo, ReviewJob } from "../domain/job.ts";
import type { Review } from "../domain/review.ts";

export interface Permissions {
  /** By numeric id: whoever took over a login gets `none`, as without an answer. Never throws. */
  of(repo: Repo, user: { readonly id: number; readonly login: string }): Promise<AccessLevel>;
}

/** Reads threads on a diff. Cannot write. */
export interface Threads {
  /** A thread's first comment; null when deleted, or known to be by somebody else. */
  root(repo: Repo, rootId: number): Promise<ThreadComment | null>;
  /** The thread from its first comment on, oldest first. */
  thread(repo: Repo, number: number, rootId: number): Promise<readonly ThreadComment[]>;
}

export type AnswerPlace = Pick<AskingComment, "place" | "id" | "rootId" | "at">;

type Reaction = "eyes" | "hooray" | "rocket" | "confused" | "-1";

/** Writes answers and reactions only. */
export interface Replies {
  /** False when GitHub refuses it. Never throws. Bodies of reviews accept no reaction. */
  react(repo: Repo, to: AnswerPlace, reaction: Reaction): Promise<boolean>;
  answered(repo: Repo, number: number, to: AnswerPlace, marker: string): Promise<boolean>;
  reply(repo: Repo, number: number, to: AnswerPlace, body: string): Promise<{ readonly url: string }>;
  /** "refused" when the installation may not; "missing" when there is no such thread. */
  resolve(repo: Repo, number: number, rootId: number): Promise<"resolved" | "refused" | "missing">;
}

/** Decisions of people about pull requests. Keys are those of review jobs. */
export interface Decisions {
  of(key: string): Promise<PullDecisions>;
  pause(key: string, by: string, now: number): Promise<void>;
  resume(key: string, now: number): Promise<boolean>;
  decline(key: string, declined: Declined, now: number): Promise<void>;
  /** Removes a decline; false when there was none. */
  restore(key: string, findingId: string): Promise<boolean>;
}

/** The author and place of a comment, for rate limits. */
export interface AnsweredComment {
  /** The job's key: a comment counts once, however often its job runs. */
  readonly comment: string;
  /** `HOST/REPO_ID`. */
  readonly repo: string;
  /** Answers in one thread count together. */
  readonly thread: string;
  readonly userId: number;
}

/** `reply`: without a mention. `refusal`: no permission. `stranger`, `denied`: no access. */
type AnswerKind = "command" | "reply" | "refusal" | "stranger" | "denied";

/** Counts our answers. The current comment never counts. */
export interface AnswerStore {
  /** A second record of the same comment changes nothing. `at` is epoch milliseconds. */
  record(answer: AnsweredComment & { readonly kind: AnswerKind; readonly at: number }): Promise<void>;
  /** Answers of a kind to the same person in the same repository since an epoch millisecond. */
  given(to: AnsweredComment, kind: AnswerKind, since: number): Promise<number>;
  /** Answers to people without access in a repository (`HOST/REPO_ID`) since then (ms). */
  strangers(repo: string, since: number): Promise<number>;
  /** Answers in the thread since a comment last mentioned us. */
  repliesInARow(to: AnsweredComment): Promise<number>;
}

export interface ReviewJobs {
  /** Replaces a waiting review of the same pull request. */
  add(job: ReviewJob, now: number): Promise<void>;
  /** Drops waiting and stops running reviews of this pull request. */
  stop(key: string, reason: string): Promise<{ readonly waiting: number; readonly running: number }>;
}

export interface ReviewRecords {
  /** The latest review of a pull request, sent or not; null when there is none. */
  latest(key: string): Promise<Review | null>;
  /** A finding of the pull request, from the latest review that has it. */
  finding(key: string, findingId: string): Promise<Finding | null>;
}
