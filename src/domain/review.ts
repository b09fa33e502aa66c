import type { ConfigProblem } from "../config/repo-config.ts";
import type { DependencyUpdate } from "./dependency-update.ts";
import type { Finding, HeldBack, LocMethod, Precedent } from "./finding.ts";
import type { Repo } from "./job.ts";
import type { Cost, Degraded, LeftOut, MonthSpending } from "./omissions.ts";
import type { GateDecision, SeenBefore } from "./retrieval.ts";
import type { Said } from "./review/review-history.ts";
import type { ReviewSignals } from "./signals.ts";

/** Where a finding is said: on its lines, on its file, or in the summary; with the reason when it is not inline. */
export interface PlacedFinding {
  readonly finding: Finding;
  readonly place: "inline" | "file" | "summary" | "already-posted";
  /** Null for inline; else why not there: "the line is not part of the diff", "over the limit of 10 comments". */
  readonly reason: string | null;
}

/** What memory had to say. */
export interface ReviewMemory {
  /** Whether memory was searched, and why. */
  readonly gate: GateDecision;
  /** What was chosen, best first: what a model would be shown. */
  readonly precedents: readonly Precedent[];
  /** Changed code that is much like code somebody spoke about. */
  readonly seenBefore: readonly SeenBefore[];
  /** Told in a repository's first reviews only. */
  readonly held?: MemoryHeld | null;
}

/** How many memories there are, by the languages of the change. */
export interface MemoryHeld {
  /** As people read them: `C++`. */
  readonly languages: readonly { readonly language: string; readonly count: number }[];
  /** More is on its way. */
  readonly isImporting: boolean;
}

/** How much of a changed file a model read. */
export interface FileCoverage {
  readonly path: string;
  /** `earlier`: this push does not touch it, and it was read wholly at an earlier one. */
  readonly state: "full" | "partial" | "not-read" | "earlier";
  /** Null for full and earlier. */
  readonly reason: string | null;
}

/** What a model was asked, what it read of the change, and what it did not. */
export interface Coverage {
  /** Its name. */
  readonly model: string;
  readonly questions: number;
  /** Questions about the diff that got no valid answer; what stood in them counts as not read. */
  readonly unanswered: number;
  /** One for each reviewed file. */
  readonly files: readonly FileCoverage[];
  /** Parts of the prompt that were shortened, in UTF-16 units. */
  readonly cut: readonly { readonly part: string; readonly shown: number; readonly of: number }[];
  /** What nobody sees on the page, and the model was not shown either, in UTF-16 units. */
  readonly hidden?: readonly { readonly part: string; readonly chars: number }[];
  /** What it looked up in the repository; absent where it was offered nothing. */
  readonly lookUps?: {
    readonly count: number;
    /** The budget allowed no more. */
    readonly isCut: boolean;
  };
  /** How the places of the model's findings were proven. */
  readonly located: Readonly<Record<Exclude<LocMethod, "rule">, number>>;
}

/** The code that a finding is about. */
export interface FindingHunk {
  readonly findingId: string;
  /** From the `@@` line to the finding's last line, redacted, at most 4,000 characters. */
  readonly hunk: string;
}

/** What a review read of the pull request: all of it, with the reason where an earlier review could not be built on. */
export type Scope =
  | { readonly kind: "full"; readonly reason: string | null }
  | { readonly kind: "delta"; readonly since: string };

/** A finding of an earlier push whose code is no longer as it was, and that was not found again. Nobody says that it is solved. */
export interface Addressed {
  readonly finding: Finding;
  /** Of its comment, where one stands. */
  readonly url: string | null;
  /** "its code has changed". */
  readonly reason: string;
  /** The code it was about is no longer there; absent where it stands, or its file is no longer part of the change. */
  readonly isGone?: true;
}

/** A value of the configuration that a file set. */
export interface Setting {
  /** Dotted: `review.maxComments`. */
  readonly key: string;
  /** JSON of at most 300 characters. */
  readonly value: string;
  /** The file: `.kodiai.yml`, `acme/.github/.kodiai.yml`. */
  readonly origin: string;
}

/** A written review, complete and not yet sent. Everything that publish says stands here. */
export interface Review {
  readonly kind: "review";
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
  readonly baseSha: string;
  /**
   * Who opened it, as `@login`: in this form `kodiai erase` finds a person in texts. Absent for a local change, for a deleted
   * account, and in reviews written before it was kept.
   */
  readonly author?: string;
  readonly signals: ReviewSignals;
  /** Most severe first, then by path and line. Inline + file + summary + already posted = all findings that are said. */
  readonly findings: readonly PlacedFinding[];
  readonly heldBack: readonly HeldBack[];
  readonly memory: ReviewMemory;
  /** Paths that were reviewed. */
  readonly reviewed: readonly string[];
  /** Null when no model was asked. */
  readonly coverage: Coverage | null;
  /** What the change does, in the model's words: untrusted text; null without a model. */
  readonly walkthrough: string | null;
  readonly leftOut: readonly LeftOut[];
  readonly degraded: readonly Degraded[];
  readonly configProblems: readonly ConfigProblem[];
  /** What configuration files said beyond the defaults; absent in reviews written before that was kept. */
  readonly settings?: readonly Setting[];
  /** True when the pull request itself changes .kodiai.yml: the change takes effect after the merge. */
  readonly configChanges: boolean;
  /**
   * For each of configProblems its line of `.kodiai.yml` at the head; null where that line is no longer there, or where
   * the pull request does not change the file. Absent is null for all.
   */
  readonly configOnHead?: readonly (number | null)[];
  /** What is wrong with `.kodiai.yml` as the pull request leaves it; null or absent where it does not change the file. */
  readonly proposedProblems?: readonly ConfigProblem[] | null;
  readonly cost: Cost;
  /** What memory keeps of the code. Absent where nothing will be remembered, and in reviews written before it was kept. */
  readonly hunks?: readonly FindingHunk[];
  /** What decided how it was read: see reviewFingerprint. */
  readonly fingerprint: string;
  readonly scope: Scope;
  /** Everything that was said on this pull request up to and with this review. */
  readonly said: readonly Said[];
  /** May be addressed since. */
  readonly addressed: readonly Addressed[];
  /** With this review; null or absent where there is no budget to spend from. */
  readonly month?: MonthSpending | null;
  /** False leaves the prompt for a coding agent out of the summary; absent is true. */
  readonly agentPrompt?: boolean;
  /** What was looked up about a dependency update; null or absent for every other change. */
  readonly update?: DependencyUpdate | null;
}

/** What stands on GitHub after publishing. */
export interface PostedReview {
  readonly kind: "posted";
  readonly review: Review;
  /** Null when there was nothing to say inline. */
  readonly reviewUrl: string | null;
  readonly summaryUrl: string;
  /** How each finding was really placed, after GitHub had its say. */
  readonly findings: readonly PlacedFinding[];
}

/** The head moved, or the pull request closed, before the review was sent: nothing was posted. */
export interface Superseded {
  readonly kind: "superseded";
  readonly reason: string;
}
