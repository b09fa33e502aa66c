// Ports of the pipeline stages, split by power: a port that reads cannot write, and the reverse.
// Every method may throw `Transient` (try again later) and no other error of an adapter's own.
import type { CustomRule, RuleSetting } from "./config/repo-config.ts";
import type { Changes, ChangesSince } from "./domain/changes.ts";
import type { CommandJob } from "./domain/command.ts";
import type { Finding, HeldBack } from "./domain/finding.ts";
import type {
  CancelJob,
  FeedbackJob,
  ForgetJob,
  HeadJobs,
  Ignored,
  Job,
  Repo,
  ReviewJob,
  UpkeepJob,
  UpkeepJobs,
} from "./domain/job.ts";
import type { Degraded } from "./domain/omissions.ts";
import type { AuthorFacts, FileDiff, OwnComment, PullRequest, RootEntry } from "./domain/pull-request.ts";
import type { Review } from "./domain/review.ts";
import type { FileFacts } from "./domain/signals.ts";
import type { Snapshots } from "./ports/snapshot.ts";
import type { Symbols } from "./ports/symbols.ts";

interface OwnersText {
  readonly text: string;
  /** True when everyone who may read the requesting repository may read that one too. */
  readonly isShown: boolean;
}

/** Reads one pull request and the repository around it. Cannot post. */
export interface PullRequests {
  pull(repo: Repo, number: number): Promise<PullRequest>;
  /** The base branch's newest commit; `base.sha` may be older. It decides the configuration. */
  baseTip(repo: Repo, pull: PullRequest): Promise<string>;
  /** @param isWanted of a path: what is not wanted need not be complete */
  changes(repo: Repo, pull: PullRequest, isWanted: (path: string) => boolean): Promise<Changes>;
  /** Changes since an earlier head that is an ancestor with the same merge base; else why not. */
  changesSince(
    repo: Repo,
    pull: PullRequest,
    earlier: { readonly headSha: string; readonly baseSha: string },
  ): Promise<ChangesSince>;
  /** Why no file can be read at the head, as a fragment of a sentence; absent when they can. */
  readonly noHead?: string;
  /** UTF-8 text of a file at a commit; null when absent, binary, a link, or over `maxBytes`. */
  text(repo: Repo, path: string, sha: string, maxBytes: number): Promise<string | null>;
  /** Configuration in place of the base's, and what follows its name (`@4f1c2d9`). */
  readonly ownConfig?: { readonly place: string; readonly text: string };
  /** The working tree's configuration, by its path from here; null without one. */
  workingConfig?(): Promise<{ readonly path: string; readonly text: string } | null>;
  /** Which of these folders a commit has. Absent where no verdict depends on them. */
  foldersAt?(repo: Repo, sha: string, paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** What is at the root of a commit and in its folder `.github`. */
  rootEntries(repo: Repo, sha: string): Promise<readonly RootEntry[]>;
  /**
   * Text of a file on the default branch of another repository of the same owner (organisation
   * defaults, `_extends`); null when the repository or file is absent or not readable for us.
   */
  ownersText(repo: Repo, repositoryName: string, path: string, maxBytes: number): Promise<OwnersText | null>;
  authorFacts(repo: Repo, pull: PullRequest): Promise<AuthorFacts>;
  /** An issue of the repository; null when there is none, or we may not read it. */
  issue(repo: Repo, number: number): Promise<{ readonly title: string; readonly body: string } | null>;
  /** Our own comments on the pull request, recognised by their hidden markers. */
  ownComments(repo: Repo, number: number): Promise<readonly OwnComment[]>;
}

/** A comment and its position. For a single line, startLine = line. */
export interface CommentToPost {
  readonly path: string;
  readonly side: "LEFT" | "RIGHT";
  readonly startLine: number;
  readonly line: number;
  readonly body: string;
}

interface Posted {
  readonly url: string;
}

/** GitHub refused the review because of one of its comments (422), without naming it. */
export class CommentRefused extends Error {
  override readonly name = "CommentRefused";
}

/** The review is stale: the head moved, or the pull request was closed or locked. */
export class SupersededError extends Error {
  override readonly name = "SupersededError";
}

/** Comments on one pull request; writes may throw SupersededError. None approves or merges. */
export interface Reviews {
  /** The current head and state; read them right before posting. */
  head(repo: Repo, number: number): Promise<Pick<PullRequest, "state" | "locked"> & { readonly sha: string }>;
  /** Ids in our comments on this head, read right before posting: none is posted twice. */
  postedFindings(repo: Repo, number: number, headSha: string): Promise<ReadonlySet<string>>;
  /** One review, event COMMENT, pinned to headSha. CommentRefused: a comment has no place. */
  postReview(
    repo: Repo,
    number: number,
    headSha: string,
    body: string,
    comments: readonly CommentToPost[],
  ): Promise<Posted>;
  /** The comments whose lines are not part of GitHub's current diff. */
  outsideDiff(repo: Repo, number: number, comments: readonly CommentToPost[]): Promise<ReadonlySet<CommentToPost>>;
  /** A comment on a whole file. Throws CommentRefused when the diff lacks the file. */
  postFileComment(repo: Repo, number: number, headSha: string, path: string, body: string): Promise<Posted>;
  /** Creates our sticky summary or edits it, by SUMMARY_MARKER. `headSha`: the reviewed head. */
  putSummary(repo: Repo, number: number, body: string, headSha: string): Promise<Posted>;
  editSummary(repo: Repo, number: number, body: string, headSha: string): Promise<Posted | null>;
  /** Gives a 👍 that says that there is nothing to say. What GitHub refuses is no error. */
  showQuiet(repo: Repo, number: number, headSha: string): Promise<void>;
  /** Takes that 👍 back, if there is one. What GitHub refuses is no error. */
  endQuiet(repo: Repo, number: number): Promise<void>;
  /** Puts a line above the summary, which it may create, until the next putSummary. */
  showNotice(repo: Repo, number: number, line: string, headSha: string): Promise<void>;
}

export interface InspectedFile {
  readonly diff: FileDiff;
  readonly facts: FileFacts;
  /** The whole head file, or null when only its hunks are known. */
  readonly headText: string | null;
}

export interface Inspection {
  /** Only about added or changed lines. */
  readonly findings: readonly Finding[];
  readonly heldBack: readonly HeldBack[];
  readonly degraded: readonly Degraded[];
}

/** The repository at the head of a change, for rules that ask what the change means elsewhere. */
export interface InspectedRepository {
  readonly symbols: Symbols;
  /** Reads it; only called when a rule needs it, since it may have to be downloaded. */
  at(): ReturnType<Snapshots["at"]>;
}

/** Finds defects without a model, so it needs no API key. */
export interface Inspector {
  /** @param during without a repository, rules that need one do not run */
  inspect(
    files: readonly InspectedFile[],
    settings: ReadonlyMap<string, RuleSetting>,
    customRules: readonly CustomRule[],
    during?: { readonly repository?: InspectedRepository | null },
  ): Promise<Inspection>;
}

/** A delivery as the queue stores it: enough to recognise it again, none of its content. */
export interface ReceivedDelivery {
  readonly id: string;
  readonly event: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** Fingerprint, `KEY@HASH`: a second delivery with it is ignored. Null: only the id counts. */
  readonly meaning: string | null;
}

export type AnyJob = Job | CommandJob;

/** A job that a worker holds; every method that ends the job takes its lease. */
export interface Lease<Taken extends AnyJob = ReviewJob> {
  readonly id: number;
  readonly job: Taken;
  /** 1 for the first attempt; one that was cut short by its process's end does not count. */
  readonly attempt: number;
  /** Earlier attempts that were ended because they took too much time. */
  readonly overruns: number;
  /** Grows with each lease: later writes of an earlier holder are refused (see LeaseLost). */
  readonly token: number;
  /** Milliseconds since the job became due. */
  readonly waitedMs: number;
}

/** Proof that a job is still held, checked with every write of the job. */
export type Held = Pick<Lease<AnyJob>, "id" | "token">;

export type JobEnd =
  | { readonly state: "done"; readonly outcome: string }
  /** It runs again after at least so many milliseconds. */
  | { readonly state: "retry"; readonly inMs: number; readonly reason: string }
  /** Keeps its place until a process has room for a large change; no attempt is counted. */
  | { readonly state: "at-capacity"; readonly reason: string }
  /** It failed permanently, or too often: it runs again only when an operator retries it. */
  | { readonly state: "parked"; readonly reason: string };

export type ProcessEnd =
  /** Any of its jobs may have ended it: each counts the death, and is parked after five. */
  | { readonly kind: "died" }
  /** No job is to blame. */
  | { readonly kind: "stopped" }
  /** This job took too much time: its attempt counts, those of its other jobs do not. */
  | { readonly kind: "overran"; readonly job: Held; readonly reason: string };

export type LaneName = "review" | "command" | "upkeep";

export interface LeaseLimits {
  /** Jobs of one repository that the process may hold at a time, per lane. */
  readonly ofRepository: number;
  readonly hasCapacity: boolean;
}

/** The jobs of one group of workers. The queue's own clock decides when a job is due. */
export interface Lane<Taken extends AnyJob> {
  /**
   * The next due job, held for as long as this process lives (see Queue.heartbeat); null when none
   * is due. Order: interrupted jobs; then the account that was served longest ago, within it the
   * repository that was served longest ago, within that the job that has waited longest. Skips jobs
   * of installations that GitHub rate-limits, and jobs that may not run beside a running one.
   *
   * @param limits null: none
   */
  lease(limits?: LeaseLimits | null): Promise<Lease<Taken> | null>;
  /** False when another process has taken over the job: then nothing is recorded. */
  end(lease: Lease<Taken>, end: JobEnd): Promise<boolean>;
  /** lost: another process may run the job. superseded: a later job of the same key waits. */
  leaseState(lease: Lease<Taken>): Promise<"held" | "superseded" | "lost">;
}

/** The durable queue, itself the lane of reviews. One job per key runs, at most one waits. */
export interface Queue extends Lane<ReviewJob> {
  /** Commands of people: "stop" must not wait for the review that it stops. */
  readonly commands: Lane<CommandJob>;
  /** Maintenance: reviews never wait for it, and it never waits for reviews. */
  readonly upkeep: Lane<UpkeepJob>;
  /**
   * Commits the delivery and its jobs in one transaction. False when accepted before.
   *
   * @param beside further jobs of the upkeep lane
   */
  accept(
    delivery: ReceivedDelivery,
    outcome: ReviewJob | HeadJobs | CommandJob | CancelJob | UpkeepJobs | Ignored,
    beside?: readonly UpkeepJob[],
  ): Promise<boolean>;
  /** Adds a job that no delivery brought. `now`: ms by the clock that set its `notBefore`. */
  add(job: ReviewJob | FeedbackJob | ForgetJob, now: number): Promise<void>;
  drop(key: string, reason: string): Promise<number>;
  /**
   * Reports that this process is alive; call it every few seconds. Requeues, at the front, the jobs
   * of processes that ended or were silent for too long; parks a job that crashed each process in
   * which it ran alone. Returns how many it requeued.
   */
  heartbeat(): Promise<number>;
  /** Says that another process is alive, which may be too busy to. Nothing if it is unknown. */
  vouch(instance: string): Promise<void>;
  /** Requeues the jobs of a process that ended, or will be ended by this one. Returns how many. */
  ended(instance: string, end: ProcessEnd): Promise<number>;
  /** Requeues all jobs that this process holds, because it ends. Returns how many. */
  release(): Promise<number>;
  counts(): Promise<{ readonly waiting: number; readonly running: number; readonly parked: number }>;
}

export interface EarlierReview {
  readonly review: Review;
  readonly posted: boolean;
}

/** Written reviews, stored before they are sent: a retry resumes, no head is reviewed twice. */
export interface Ledger {
  /** The pull request's latest review that is not completely sent; the head may have moved. */
  unsent(job: ReviewJob): Promise<Review | null>;
  save(job: ReviewJob, review: Review, now: number): Promise<void>;
  /** Marks the review as posted or superseded: it is never sent again. */
  settle(job: ReviewJob, review: Review, now: number, outcome: string): Promise<void>;
  /** A few of the last reviews of this pull request, newest first, posted or not. */
  earlier(job: ReviewJob): Promise<readonly EarlierReview[]>;
}

/** Data about repositories outside memory: jobs, reviews, decisions, answers, check runs. */
export interface Traces {
  /** Removes a repository's data but spending, which budgets need; returns how many reviews. */
  forgetRepository(repo: Pick<Repo, "host" | "id">): Promise<number>;
  /** Other jobs about the repository, without those of this key. */
  besides(repo: Pick<Repo, "host" | "id">, key: string): Promise<BesideForgetting>;
}

export interface BesideForgetting {
  /** They may write after the removal. */
  readonly running: number;
  /** Ended since the removal: they may have written after it. */
  readonly ended: number;
}
