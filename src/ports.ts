// What the rooms may ask of the world, split by power: what reads cannot write, and what writes cannot read.
// Every method may throw `Transient` (try again later) and nothing else of an adapter's own.
import type { CustomRule, RuleSetting } from "./config/repo-config.ts";
import type { CommandJob } from "./domain/command.ts";
import type { Finding, HeldBack } from "./domain/finding.ts";
import type {
  CancelJob,
  FeedbackJob,
  ForgetJob,
  Ignored,
  Job,
  Repo,
  ReviewJob,
  UpkeepJob,
  UpkeepJobs,
} from "./domain/job.ts";
import type { Degraded } from "./domain/omissions.ts";
import type { AuthorFacts, FileDiff, OwnComment, PullRequest } from "./domain/pull-request.ts";
import type { Review } from "./domain/review.ts";
import type { FileFacts } from "./domain/signals.ts";
import type { Snapshots } from "./ports/snapshot.ts";
import type { Symbols } from "./ports/symbols.ts";

/** One changed file as a listing tells it. */
export interface ListedFile {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: FileDiff["status"];
  readonly additions: number;
  readonly deletions: number;
  /** Hunks only (`@@ …`), or null where the source gives none (binary, too large, nothing changed). */
  readonly patch: string | null;
  /** Git's mode at the head where the source learned it: `120000` (symbolic link), `160000` (submodule). */
  readonly newMode?: string | null;
  /** True where GitHub shows no patch and this one was made from both texts: GitHub takes no comment on its lines. */
  readonly isRebuilt?: boolean;
}

/** The change: GitHub's listing of files, or a whole unified diff from git. */
export type Changes =
  | {
      readonly kind: "listing";
      readonly files: readonly ListedFile[];
      readonly total: number;
      /** What the listing lacks; absent: nothing. */
      readonly degraded?: readonly Degraded[];
    }
  | { readonly kind: "unified"; readonly text: string };

/** What changed from one head of a pull request to the next; or why that cannot be told, or would not help. */
export type ChangesSince =
  | { readonly kind: "since"; readonly changes: Changes }
  | { readonly kind: "unknown"; readonly reason: string };

/** A file of another repository of the same owner. */
export interface OwnersText {
  readonly text: string;
  /** Whoever may read the repository that asks may read that one too. */
  readonly isShown: boolean;
}

/** Reads one pull request and the repository around it. Cannot post. */
export interface PullRequests {
  pull(repo: Repo, number: number): Promise<PullRequest>;
  changes(repo: Repo, pull: PullRequest): Promise<Changes>;
  /**
   * What changed since an earlier head, where that head is an ancestor of this one and the branch still leaves the base
   * at the same commit; otherwise the reason why it is not, as a fragment of a sentence.
   */
  changesSince(
    repo: Repo,
    pull: PullRequest,
    earlier: { readonly headSha: string; readonly baseSha: string },
  ): Promise<ChangesSince>;
  /** Why no file can be read at the head, as a fragment of a sentence; absent where that can be asked. */
  readonly noHead?: string;
  /** UTF-8 text of a file at a commit; null when it is absent, binary, a link, or larger than `maxBytes`. */
  text(repo: Repo, path: string, sha: string, maxBytes: number): Promise<string | null>;
  /**
   * Text of a file on the default branch of another repository of the same owner (organisation defaults, `_extends`);
   * null when the repository or file is absent or not ours to read.
   */
  ownersText(repo: Repo, repositoryName: string, path: string, maxBytes: number): Promise<OwnersText | null>;
  authorFacts(repo: Repo, pull: PullRequest): Promise<AuthorFacts>;
  /** Our own comments on the pull request, known by their hidden markers. */
  ownComments(repo: Repo, number: number): Promise<readonly OwnComment[]>;
}

/** Where a comment stands. A single line has startLine = line. */
export interface CommentToPost {
  readonly path: string;
  readonly side: "LEFT" | "RIGHT";
  readonly startLine: number;
  readonly line: number;
  readonly body: string;
}

/** GitHub refused the review because of one of its comments (422): which one, it does not say. */
export class CommentRefused extends Error {
  override readonly name = "CommentRefused";
}

/** What is to be said is over: the head moved, or the pull request was closed or locked. Nothing was written. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** Writes to one pull request, and only as comments, each of which may throw Overtaken. Has no method that could approve, merge or push. */
export interface Reviews {
  /** Head and state as they are now, to be read right before posting. */
  head(
    repo: Repo,
    number: number,
  ): Promise<{ readonly sha: string; readonly state: "open" | "closed"; readonly locked: boolean }>;
  /**
   * Ids of the findings that comments of ours on this head are about, inline or on files, to be read right before
   * posting: a run that died between two posts does not post the first again.
   */
  postedFindings(repo: Repo, number: number, headSha: string): Promise<ReadonlySet<string>>;
  /** One review, event COMMENT, pinned to headSha. Throws CommentRefused when a comment cannot be placed. */
  postReview(
    repo: Repo,
    number: number,
    headSha: string,
    body: string,
    comments: readonly CommentToPost[],
  ): Promise<{ readonly url: string }>;
  /** Those of the comments whose lines are not part of GitHub's own diff, as it is now. */
  outsideDiff(repo: Repo, number: number, comments: readonly CommentToPost[]): Promise<ReadonlySet<CommentToPost>>;
  /** A comment on a file as a whole. Throws CommentRefused when the file is not part of the diff. */
  postFileComment(
    repo: Repo,
    number: number,
    headSha: string,
    path: string,
    body: string,
  ): Promise<{ readonly url: string }>;
  /** Creates the sticky summary or edits it in place; found by `marker`, written by us. `headSha` is what it is about. */
  putSummary(
    repo: Repo,
    number: number,
    marker: string,
    body: string,
    headSha: string,
  ): Promise<{ readonly url: string }>;
  /** Puts a line above the summary, or makes a summary of it alone, until putSummary or endProgress. */
  showProgress(repo: Repo, number: number, line: string, headSha: string): Promise<void>;
  /** Takes that line away; a summary that is nothing else says `instead`. Changes nothing where there is no such line. */
  endProgress(repo: Repo, number: number, instead: string): Promise<void>;
}

/** A file as rules see it. */
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
  /** Reads it; only called where a rule needs it, since it may have to be downloaded. */
  at(): ReturnType<Snapshots["at"]>;
}

/** Finds defects without a model: what Kodiai can say with no key. */
export interface Inspector {
  /**
   * @param onRead called as it goes on: how many more files were read
   * @param repository null or absent: rules that need it do not run
   */
  inspect(
    files: readonly InspectedFile[],
    settings: ReadonlyMap<string, RuleSetting>,
    customRules: readonly CustomRule[],
    during?: { readonly onRead?: (files: number) => void; readonly repository?: InspectedRepository | null },
  ): Promise<Inspection>;
}

/** A delivery as the queue remembers it: enough to know it again, nothing of its content. */
export interface ReceivedDelivery {
  readonly id: string;
  readonly event: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** What it says: `KEY@HASH`; another delivery with the same one changes nothing. Null or absent: only its id counts. */
  readonly meaning?: string | null;
}

export type AnyJob = Job | CommandJob;

/** A job that a worker holds; every method that ends it takes this back. */
export interface Lease<Taken extends AnyJob = ReviewJob> {
  readonly id: number;
  readonly job: Taken;
  /** 1 for the first try; one that was cut short by the end of its process does not count. */
  readonly attempt: number;
  /** Grows each time the job is taken: what an earlier holder still writes is refused (see LeaseLost). */
  readonly token: number;
  /** Milliseconds since the moment from which it could have run; absent where the queue does not know. */
  readonly waitedMs?: number;
}

/** What proves that a job is still held, wherever something of it is written. */
export type Held = Pick<Lease<AnyJob>, "id" | "token">;

/** How a job ended. */
export type JobEnd =
  | { readonly state: "done"; readonly outcome: string }
  /** It runs again in so many milliseconds, or later. */
  | { readonly state: "retry"; readonly inMs: number; readonly reason: string }
  /** It waits at its place until a process has room for a large change; the try does not count. */
  | { readonly state: "no-room"; readonly reason: string }
  /** It failed for good, or too often: it runs again when an operator says so. */
  | { readonly state: "parked"; readonly reason: string };

/** Who takes which jobs: see Queue. */
export type LaneName = "review" | "command" | "upkeep";

/** What a process may take at this moment. */
export interface LeaseLimits {
  /** Jobs of one repository that it may hold at a time, in the lane. */
  readonly ofRepository: number;
  /** False passes over jobs that ended as `no-room`. */
  readonly hasRoom: boolean;
}

/** The jobs that one group of workers takes. When a job may run is decided by the queue's own clock. */
export interface Lane<Taken extends AnyJob> {
  /**
   * The next job that may run now, held for as long as this process lives (see Queue.heartbeat); null when none may. Interrupted
   * jobs come first; then the account that was served longest ago, of its repositories the one that was, and of its jobs the one
   * that has waited longest. Jobs of an installation that GitHub asks to leave alone wait, and so do jobs that may not run beside
   * another.
   *
   * @param limits absent: none
   */
  lease(limits?: LeaseLimits): Promise<Lease<Taken> | null>;
  /** False when another process holds the job by now: then nothing is recorded. */
  end(lease: Lease<Taken>, end: JobEnd): Promise<boolean>;
  /** False once another process may do the job. */
  isLeaseValid(lease: Held): Promise<boolean>;
  /** True when a later job of the same key waits: what the lease's job does is no longer wanted. */
  isSuperseded(lease: Lease<Taken>): Promise<boolean>;
  /** In how many milliseconds the next waiting job may run; 0 when one may now, null when none waits that the limits let pass. */
  nextInMs(limits?: LeaseLimits): Promise<number | null>;
}

/**
 * The durable queue: itself the lane of reviews. One job per key runs at a time; a later job of the same key takes the
 * place of one that waits.
 */
export interface Queue extends Lane<ReviewJob> {
  /** What people ask for: "stop" need not wait for the review that it stops. */
  readonly commands: Lane<CommandJob>;
  /** What reviews never wait for, and what never waits for reviews. */
  readonly upkeep: Lane<UpkeepJob>;
  /**
   * Commits the delivery and what follows from it in one transaction. False when this delivery was accepted before.
   *
   * @param beside jobs of the upkeep lane that follow from it as well
   */
  accept(
    delivery: ReceivedDelivery,
    outcome: ReviewJob | CommandJob | CancelJob | UpkeepJobs | Ignored,
    beside?: readonly UpkeepJob[],
  ): Promise<boolean>;
  /**
   * A review that follows from a command, a look that is due, a repository that has to be forgotten. It takes the place of one
   * of its key that waits.
   *
   * @param now the time by the clock by which the job's `notBefore` was set, in epoch milliseconds
   */
  add(job: ReviewJob | FeedbackJob | ForgetJob, now: number): Promise<void>;
  /** Cancels the jobs of a key that wait; returns how many. */
  drop(key: string, reason: string): Promise<number>;
  /**
   * Reports that this process lives, every few seconds. Jobs of processes that ended, or were silent for too long, wait again
   * and come first; one that ends each process in which it runs alone is parked. Returns how many were taken back.
   */
  heartbeat(): Promise<number>;
  /** This process ends: what it still holds waits again. Returns how many. */
  release(): Promise<number>;
  counts(): Promise<{ readonly waiting: number; readonly running: number; readonly parked: number }>;
  /**
   * Calls `wake` with each lane in which a job may run now, whichever process put it there, and with every lane whenever it
   * begins to listen. Absent where the store has no notifications: then a look every few seconds must do.
   */
  onJobAvailable?(wake: (lane: LaneName) => void): void;
}

/** A review as the ledger keeps it. */
export interface EarlierReview {
  readonly review: Review;
  /** True when it stands on the pull request. */
  readonly posted: boolean;
}

/** Written reviews, kept from before they are sent, so that a retry resumes at "send" and no head is reviewed twice. */
export interface Ledger {
  /** The latest review of this pull request that was written and not yet wholly sent; its head may have moved since. */
  unsent(job: ReviewJob): Promise<Review | null>;
  save(job: ReviewJob, review: Review, now: number): Promise<void>;
  /** The review of `headSha` against `baseSha` is on GitHub, or was overtaken: it is never sent again. */
  settle(job: ReviewJob, review: Review, now: number, outcome: string): Promise<void>;
  /** True when a review of this head against this base was posted before. */
  wasPosted(job: ReviewJob, headSha: string, baseSha: string): Promise<boolean>;
  /** The last reviews of this pull request that were written, newest first, posted or not; a few are enough. */
  earlier(job: ReviewJob): Promise<readonly EarlierReview[]>;
}

/** What is kept beside memory of repositories: jobs, reviews, decisions, answers, searches, check runs. */
export interface Traces {
  /**
   * Removes all of it that tells of a repository, and its bytes. What was spent stays, by number: budgets are held
   * against it. Returns how many reviews went.
   */
  forgetRepository(repo: Pick<Repo, "host" | "id">): Promise<number>;
  /** Jobs about the repository beside those of this key. */
  besides(repo: Pick<Repo, "host" | "id">, key: string): Promise<BesideForgetting>;
}

/** How many jobs there are about a repository that is forgotten. */
export interface BesideForgetting {
  /** What they write comes after any forgetting. */
  readonly running: number;
  /** Since it was forgotten: what they wrote may have come after it. */
  readonly ended: number;
}
