// Ports of conversations: permissions, threads, answers and reactions, and earlier decisions and reviews. Methods may throw
// `Transient` unless documented otherwise.
import type { AccessLevel, AskingComment } from "../domain/command.ts";
import type { Declined, PullDecisions, ThreadComment } from "../domain/conversation.ts";
import type { Finding } from "../domain/finding.ts";
import type { Repo, ReviewJob } from "../domain/job.ts";
import type { Review } from "../domain/review.ts";

export interface Permissions {
  /** By numeric id, so an account that took over the login gets `none`. Never throws: without an answer from GitHub, `none`. */
  of(repo: Repo, user: { readonly id: number; readonly login: string }): Promise<AccessLevel>;
}

/** Reads threads on a diff. Cannot write. */
export interface Threads {
  /** The first comment of a thread; null when it was deleted, or is known to be by somebody else. */
  root(repo: Repo, rootId: number): Promise<ThreadComment | null>;
  /** The thread from its first comment on, oldest first. */
  thread(repo: Repo, number: number, rootId: number): Promise<readonly ThreadComment[]>;
}

export type AnswerPlace = Pick<AskingComment, "place" | "id" | "rootId" | "at">;

type Reaction = "eyes" | "hooray" | "rocket" | "confused" | "-1";

/** Writes answers and reactions only. */
export interface Replies {
  /** False when GitHub refuses it. Never throws: a reaction is a courtesy. Review bodies accept none. */
  react(repo: Repo, to: AnswerPlace, reaction: Reaction): Promise<boolean>;
  answered(repo: Repo, number: number, to: AnswerPlace, marker: string): Promise<boolean>;
  reply(repo: Repo, number: number, to: AnswerPlace, body: string): Promise<{ readonly url: string }>;
  /** Resolves the thread; "refused" when the installation may not, "missing" when there is no such thread. */
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

/** `reply`: to a comment without a mention of us. `refusal`: to one without permission. Of people without access: `stranger`, `denied`. */
type AnswerKind = "command" | "reply" | "refusal" | "stranger" | "denied";

/** Counts our answers. The current comment never counts. */
export interface AnswerStore {
  /** A second record of the same comment changes nothing. `at` is epoch milliseconds. */
  record(answer: AnsweredComment & { readonly kind: AnswerKind; readonly at: number }): Promise<void>;
  /** Answers of a kind to the same person in the same repository since an epoch millisecond. */
  given(to: AnsweredComment, kind: AnswerKind, since: number): Promise<number>;
  /** Answers to people without access in a repository (`HOST/REPO_ID`) since an epoch millisecond. */
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
