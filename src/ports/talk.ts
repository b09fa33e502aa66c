// What the rooms and corridors may ask of the world to hold a conversation: who somebody is, what stands in a thread, answers
// and reactions, and what was decided and said before. Methods may throw `Transient` unless they say that they never do.
import type { AccessLevel, AskingComment } from "../domain/command.ts";
import type { Declined, PullDecisions, ThreadComment } from "../domain/conversation.ts";
import type { Finding } from "../domain/finding.ts";
import type { Repo, ReviewJob } from "../domain/job.ts";
import type { Review } from "../domain/review.ts";

/** Who may do what. */
export interface Permissions {
  /** By numeric id: an account that took over the login has none. Never throws: what GitHub does not tell is `none`. */
  of(repo: Repo, user: { readonly id: number; readonly login: string }): Promise<AccessLevel>;
}

/** Reads threads on a diff. Cannot write. */
export interface Threads {
  /** The first comment of a thread; null when it is gone. */
  root(repo: Repo, rootId: number): Promise<ThreadComment | null>;
  /** The thread from its first comment on, oldest first. */
  thread(repo: Repo, number: number, rootId: number): Promise<readonly ThreadComment[]>;
}

/** Where something is written: the comment that asked. */
export type AnswerPlace = Pick<AskingComment, "place" | "id" | "rootId" | "at">;

/** A reaction of ours. */
export type Reaction = "eyes" | "hooray" | "rocket" | "confused" | "-1";

/** Writes answers and reactions, and nothing else. */
export interface Replies {
  /** False where GitHub refuses it. Never throws: a reaction is a courtesy. Bodies of reviews take none. */
  react(repo: Repo, to: AnswerPlace, reaction: Reaction): Promise<boolean>;
  /** Whether a comment of ours with this marker stands there. */
  answered(repo: Repo, number: number, to: AnswerPlace, marker: string): Promise<boolean>;
  reply(repo: Repo, number: number, to: AnswerPlace, body: string): Promise<{ readonly url: string }>;
  /** Marks the thread as resolved; "refused" when the installation may not. */
  resolve(repo: Repo, number: number, rootId: number): Promise<"resolved" | "refused" | "gone">;
}

/** What people decided about pull requests. Keys are those of review jobs. */
export interface Decisions {
  of(key: string): Promise<PullDecisions>;
  pause(key: string, by: string, now: number): Promise<void>;
  /** False when nothing was paused. */
  resume(key: string, now: number): Promise<boolean>;
  decline(key: string, declined: Declined, now: number): Promise<void>;
  /** Takes a decline back; false when there was none. */
  restore(key: string, findingId: string): Promise<boolean>;
}

/** Who wrote what where, for the limits. */
export interface AnsweredComment {
  /** The job's key: a comment counts once, however often its job runs. */
  readonly comment: string;
  /** `HOST/REPO_ID`. */
  readonly repo: string;
  /** Answers in it count together. */
  readonly thread: string;
  readonly userId: number;
}

/** `reply`: to a comment that did not name us. `refusal`: to one that was not permitted. */
export type AnswerKind = "command" | "reply" | "refusal";

/** How often we answered. The comment that is asked about never counts itself. */
export interface AnswerBook {
  /** A second record of the same comment changes nothing. `at` is epoch milliseconds. */
  record(answer: AnsweredComment & { readonly kind: AnswerKind; readonly at: number }): Promise<void>;
  /** Answers of a kind to the same person in the same repository since an epoch millisecond. */
  given(to: AnsweredComment, kind: AnswerKind, since: number): Promise<number>;
  /** Answers in the thread to comments that did not name us, since one last did. */
  repliesInARow(to: AnsweredComment): Promise<number>;
}

/** The reviews that wait or run. */
export interface ReviewJobs {
  /** Takes the place of one that waits. */
  add(job: ReviewJob, now: number): Promise<void>;
  /** Drops what waits for this pull request and stops what runs. */
  stop(key: string, reason: string): Promise<{ readonly waiting: number; readonly running: number }>;
}

/** Written reviews, looked up. */
export interface ReviewRecords {
  /** The latest review of a pull request, sent or not; null when there is none. */
  latest(key: string): Promise<Review | null>;
  /** A finding of any review of the pull request, from the latest that holds it. */
  finding(key: string, findingId: string): Promise<Finding | null>;
}
