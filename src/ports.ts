// What the rooms may ask of the world, split by power: what reads cannot write, and what writes cannot read.
// Every method may throw `Transient` (try again later) and nothing else of an adapter's own.
import type { CustomRule, RuleSetting } from "./config/repo-config.ts";
import type { Finding, HeldBack } from "./domain/finding.ts";
import type { CancelJob, Repo, ReviewJob } from "./domain/job.ts";
import type { Degraded } from "./domain/outcome.ts";
import type { AuthorFacts, FileDiff, OwnComment, PullRequest } from "./domain/pull-request.ts";
import type { Review } from "./domain/review.ts";
import type { FileFacts } from "./domain/signals.ts";

/** One changed file as a listing tells it. */
export interface ListedFile {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: FileDiff["status"];
  readonly additions: number;
  readonly deletions: number;
  /** Hunks only (`@@ …`), or null where the source gives none (binary, too large, nothing changed). */
  readonly patch: string | null;
}

/** The change: GitHub's listing of files, or a whole unified diff from git. */
export type Changes =
  | { readonly kind: "listing"; readonly files: readonly ListedFile[]; readonly total: number }
  | { readonly kind: "unified"; readonly text: string };

/** Reads one pull request and the repository around it. Cannot post. */
export interface PullRequests {
  pull(repo: Repo, number: number): Promise<PullRequest>;
  changes(repo: Repo, pull: PullRequest): Promise<Changes>;
  /** UTF-8 text of a file at a commit; null when it is absent, binary, a link, or larger than `maxBytes`. */
  text(repo: Repo, path: string, sha: string, maxBytes: number): Promise<string | null>;
  /**
   * Text of a file on the default branch of another repository of the same owner (organisation defaults, `_extends`);
   * null when the repository or file is absent or not ours to read.
   */
  ownersText(repo: Repo, repositoryName: string, path: string, maxBytes: number): Promise<string | null>;
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

/** Writes to one pull request, and only as comments. Has no method that could approve, merge or push. */
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
  /** A comment on a file as a whole. Throws CommentRefused when the file is not part of the diff. */
  postFileComment(
    repo: Repo,
    number: number,
    headSha: string,
    path: string,
    body: string,
  ): Promise<{ readonly url: string }>;
  /** Creates the sticky summary or edits it in place; found by `marker`, written by us. */
  putSummary(repo: Repo, number: number, marker: string, body: string): Promise<{ readonly url: string }>;
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

/** Finds defects without a model: what Kodiai can say with no key. */
export interface Inspector {
  inspect(
    files: readonly InspectedFile[],
    settings: ReadonlyMap<string, RuleSetting>,
    customRules: readonly CustomRule[],
  ): Promise<Inspection>;
}

/** A delivery as it arrived, before anyone read it. */
export interface RawDelivery {
  readonly id: string;
  readonly event: string;
  readonly payload: string;
}

/** A job that a worker holds; every method that ends it takes this back. */
export interface Lease {
  readonly id: number;
  readonly job: ReviewJob;
  readonly attempt: number;
}

/** The durable queue. One job per key runs at a time; a newer head takes the place of one that waits. */
export interface Queue {
  /** Commits the delivery and what follows from it in one transaction. False when this delivery was seen before. */
  accept(
    delivery: RawDelivery,
    receivedAt: number,
    outcome: ReviewJob | CancelJob | { readonly kind: "ignored"; readonly reason: string },
  ): boolean;
  /** The next job that may run, leased until now + leaseMs; null when nothing waits. */
  lease(now: number, leaseMs: number): Lease | null;
  /** True while no newer head and no cancellation has overtaken this lease. */
  isCurrent(lease: Lease): boolean;
  done(lease: Lease, now: number, outcome: string): void;
  /** Try again at `at`, or park it as dead when the attempts are used up. */
  retry(lease: Lease, at: number, reason: string): void;
  dead(lease: Lease, now: number, reason: string): void;
  counts(): { readonly waiting: number; readonly running: number; readonly dead: number };
}

/** Written reviews that may not be sent yet. A retry resumes at "send". */
export interface Ledger {
  find(job: ReviewJob): Review | null;
  save(job: ReviewJob, review: Review, now: number): void;
}
