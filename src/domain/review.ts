import type { ConfigProblem } from "../config/repo-config.ts";
import { type Finding, type HeldBack, type LocMethod, type Precedent, SEVERITIES } from "./finding.ts";
import type { Repo } from "./job.ts";
import type { Cost, Degraded, LeftOut, MonthSpending, Unread } from "./omissions.ts";
import type { GateDecision, SeenBefore } from "./retrieval.ts";
import type { EarlierFinding } from "./review/review-history.ts";
import type { ReviewSignals } from "./signals.ts";
import { counted } from "./text/counted.ts";

/** Where a finding is posted: on its lines, on its file, or in the summary. */
export interface PlacedFinding {
  readonly finding: Finding;
  readonly place: "inline" | "file" | "summary" | "already-posted";
  /** Why it is not inline: "the line is not part of the diff"; null when it is. */
  readonly reason: string | null;
}

/** Memory's contribution to a review. */
export interface ReviewMemory {
  /** Whether memory was searched, and why. */
  readonly gate: GateDecision;
  /** The chosen memories, best first: what a model would see. */
  readonly precedents: readonly Precedent[];
  /** Changed code that resembles code with earlier comments. */
  readonly seenBefore: readonly SeenBefore[];
  /** Shown in a repository's first reviews only. */
  readonly held?: MemoryHeld | null;
  /** Who else commented most on these files before; absent where no one did. */
  readonly commenters?: readonly Commenter[];
}

/** A person who commented on the files of a change in other pull requests. */
export interface Commenter {
  /** `@login`, as `kodiai erase` finds a person. */
  readonly author: string;
  readonly comments: number;
}

/** The number of memories, by the languages of the change. */
export interface MemoryHeld {
  /** Display names: `C++`. */
  readonly languages: readonly { readonly language: string; readonly count: number }[];
  /** An import is still running. */
  readonly isImporting: boolean;
}

/** How much of a changed file a model read. */
export interface FileCoverage {
  readonly path: string;
  /** `earlier`: this push does not touch it, and a model read all of it at an earlier one. */
  readonly state: "full" | "partial" | "not-read" | "earlier";
  /** Null for full and earlier. */
  readonly reason: string | null;
}

/** Whether the model did not read all of the file. */
export function isUnread({ state }: FileCoverage): boolean {
  return state === "partial" || state === "not-read";
}

/** How often a model read the change, each time without knowing what it found before. */
export interface Readings {
  readonly planned: number;
  /** Why so often: "`review.readings`", "the budget pays for 1 of 3". */
  readonly because: string;
  /**
   * US$ estimated for all questions about the diff, without cache discounts; null without a price.
   */
  readonly estimate: Omit<Cost, "ms">;
  /** Files that were read fewer times than planned, and why. */
  readonly fewer: readonly { readonly path: string; readonly times: number; readonly reason: string }[];
}

/** The questions to a model, and which parts of the change it read. */
export interface Coverage {
  /** The model's name. */
  readonly model: string;
  readonly questions: number;
  /** Parts of the diff about which no question has a valid answer; they count as not read. */
  readonly unanswered: number;
  /** One for each reviewed file. */
  readonly files: readonly FileCoverage[];
  /** Parts of the prompt that were shortened, in UTF-16 units. */
  readonly cut: readonly { readonly part: string; readonly shown: number; readonly of: number }[];
  /** Text that the page does not show, and the model did not see either, in UTF-16 units. */
  readonly hidden?: readonly { readonly part: string; readonly chars: number }[];
  /** Absent in reviews written before there was more than one, and where nothing was to be read. */
  readonly readings?: Readings;
  /** How the places of the model's findings were established. */
  readonly located: Readonly<Record<Exclude<LocMethod, "rule">, number>>;
}

/** The code of a finding. */
export interface FindingHunk {
  readonly findingId: string;
  /** From the `@@` line to the finding's last line, redacted, at most 4,000 characters. */
  readonly hunk: string;
}

/** How much a review read: everything, and why; or what changed since an earlier one. */
export type Scope =
  | { readonly kind: "full"; readonly reason: string | null }
  | { readonly kind: "delta"; readonly since: string };

/** A finding of an earlier push that was not found again in its changed code: solved or not. */
export interface Addressed {
  readonly finding: Finding;
  /** Of its comment, if there is one. */
  readonly url: string | null;
  /** "its code has changed". */
  readonly reason: string;
  /** The code was removed; false when it exists, or its file is no longer part of the change. */
  readonly isRemoved: boolean;
}

/** A complete review, not yet sent. It contains everything that publish posts. */
export interface Review {
  readonly kind: "review";
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
  readonly baseSha: string;
  /** The branch that it goes into. */
  readonly baseRef: string;
  /**
   * Who opened it, as `@login`: in this form `kodiai erase` finds a person in texts. Null for a
   * local change, for a deleted account, and in reviews written before it was kept.
   */
  readonly author: string | null;
  readonly signals: ReviewSignals;
  /**
   * By severity, path and line. Inline + file + summary + already posted = all reported findings.
   */
  readonly findings: readonly PlacedFinding[];
  readonly heldBack: readonly HeldBack[];
  readonly memory: ReviewMemory;
  /** Paths that were reviewed. */
  readonly reviewed: readonly string[];
  /** Null without a model. */
  readonly coverage: Coverage | null;
  /** The model's description of the change: untrusted text; null without a model. */
  readonly walkthrough: string | null;
  readonly leftOut: readonly LeftOut[];
  /** Source of the change that was not wholly read. */
  readonly unread: readonly Unread[];
  /** Reported findings that an author without write access asks to ignore, each with the reason. */
  readonly asked: readonly HeldBack[];
  readonly degraded: readonly Degraded[];
  readonly configProblems: readonly ConfigProblem[];
  /** The configuration's files: `.kodiai.yml@4f1c2d9`, `none found`; "" in older stored reviews. */
  readonly configUsed: string;
  /** True when the pull request changes .kodiai.yml, which takes effect after the merge. */
  readonly configChanges: boolean;
  /** Problems of the proposed `.kodiai.yml`, if the pull request changes it. */
  readonly proposedProblems: readonly ConfigProblem[];
  /** What was read beside the change; nothing in older stored reviews. */
  readonly sources: {
    /** The base's instructions to contributors and tools, by path; empty where no model reads. */
    readonly guidance: readonly string[];
    /** Other tools that ran on this head. */
    readonly tools: readonly string[];
    /** Issues that it says it closes, as `#12`; `reason` is null for one that was read. */
    readonly issues: readonly { readonly name: string; readonly reason: string | null }[];
  };
  readonly cost: Cost;
  /** The code that memory stores; empty when it stores nothing, and in older stored reviews. */
  readonly hunks: readonly FindingHunk[];
  /** Identifies everything that determined how it was read: see reviewFingerprint. */
  readonly fingerprint: string;
  readonly scope: Scope;
  /** All findings reported on this pull request up to and including this review. */
  readonly said: readonly EarlierFinding[];
  /** Earlier findings whose code has changed. */
  readonly addressed: readonly Addressed[];
  /** Including this review; null without a budget. */
  readonly month: MonthSpending | null;
  /** Opened without write access: what a model wrote about it is no text for an agent. */
  readonly isByOutsider: boolean;
  /**
   * Whether `/kodiai …` on its pull request is answered: by a server, but not by the command line
   * or the action.
   */
  readonly answersCommands: boolean;
  /** Why a summary is posted even with nothing to say (see isQuiet); null: none is. */
  readonly summaryBecause: SummaryBecause | null;
  /** False leaves the prompt for a coding agent out of the summary. */
  readonly agentPrompt: boolean;
}

/** The configuration wants it, a person asked for the review, or it is its repository's first. */
export type SummaryBecause = "configured" | "asked" | "first";

/** Whether a review has nothing to say that a person would act on: no summary is needed. */
export function isQuiet(review: Review): boolean {
  const { findings, heldBack, asked, addressed, leftOut, unread, degraded, coverage, memory } = review;
  const lists = [findings, heldBack, asked, addressed, leftOut, unread, degraded, memory.seenBefore];
  const problems = [review.configProblems, review.proposedProblems];
  const ofModel = coverage === null ? [] : [coverage.files.filter(isUnread), coverage.cut, coverage.hidden ?? []];
  return !review.configChanges && [...lists, ...problems, ...ofModel].every((list) => list.length === 0);
}

/** Whether it posts no summary. */
export function isSilent(review: Review): boolean {
  return isQuiet(review) && review.summaryBecause === null;
}

/** The review as it exists on GitHub after publishing. */
export interface PostedReview {
  readonly kind: "posted";
  readonly review: Review;
  /** Null when there were no inline comments. */
  readonly reviewUrl: string | null;
  /** Null when there was nothing to say, and no summary before. */
  readonly summaryUrl: string | null;
  /** The final place of each finding, after GitHub accepted or refused it. */
  readonly findings: readonly PlacedFinding[];
}

/** The head moved or the pull request closed before the review was sent: nothing was posted. */
export interface Superseded {
  readonly kind: "superseded";
  readonly reason: string;
}

export interface CheckAnnotation {
  readonly path: string;
  /** 1-based, inclusive, in the head file. */
  readonly startLine: number;
  readonly endLine: number;
  readonly level: "notice" | "warning" | "failure";
  /** Plain text: GitHub renders no Markdown here. */
  readonly title: string;
  readonly message: string;
}

/** From the mildest to the worst. */
const CONCLUSIONS = ["success", "neutral", "failure"] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];

/** The worst of some conclusions; `success` of none. */
export function worstOf(conclusions: readonly Conclusion[]): Conclusion {
  return CONCLUSIONS[Math.max(0, ...conclusions.map((conclusion) => CONCLUSIONS.indexOf(conclusion)))] ?? "failure";
}

/** The end of a check run. Texts are Markdown that is safe to post. */
export interface CheckEnd {
  readonly conclusion: Conclusion;
  readonly title: string;
  readonly summary: string;
  /** "" without details. */
  readonly text: string;
  readonly annotations: readonly CheckAnnotation[];
}

/** For how long sweeps try to end a check run that a review left behind: 7 days. */
export const LEFT_MS = 7 * 24 * 60 * 60_000;

/**
 * The verdict of a review without findings, as every output words it. Names who read what: silent
 * rules alone are not "No findings", and an unreadable diff is not "nothing".
 *
 * @param review all of its findings are held back, or it has none
 * @returns `head` is the main point; `rest` continues it, and `held` counts what is held back:
 * separators included, no full stop
 */
export function quietVerdict(review: Review) {
  const { reviewed, leftOut, coverage, heldBack } = review;
  if (unreadDiff(review) !== null)
    return { head: "Nothing was reviewed", rest: ": the diff could not be read", held: "" };
  if (reviewed.length === 0) {
    const changed =
      leftOut.length === 0 ? "no file was changed" : `${counted(leftOut.length, "changed file")}, all left out`;
    return { head: "Nothing to review", rest: `: ${changed}`, held: "" };
  }
  const isWhole = coverage?.files.some(isUnread) !== true;
  const isRead = coverage?.files.some(({ state }) => state !== "not-read") === true;
  const held = heldBack.length === 0 ? "" : `; ${heldBack.length} held back`;
  const where = ` in ${counted(reviewed.length, "file")}`;
  if (isRead) {
    const by = isWhole ? "" : " in what was read and by rules";
    return { head: "No findings", rest: `${by}${where}`, held };
  }
  const them = reviewed.length === 1 ? "it" : "them";
  return { head: held === "" ? "No rule fired" : "Nothing to post", rest: `${where}; no model read ${them}`, held };
}

/**
 * What speaks against a merge, in one line, with which every output begins:
 * `2 major findings open, 1 milder`, or `Nothing open`, which says where the review could not tell.
 * A finding is open until its code changes or a person with write access declines it.
 *
 * @param findings as they were placed
 * @returns "" where nothing was reviewed
 */
export function mergeSignal(review: Review, findings: readonly PlacedFinding[]): string {
  const { addressed, coverage, degraded, reviewed, unread } = review;
  const worst = SEVERITIES.find((severity) => findings.some(({ finding }) => finding.severity === severity));
  const maybe = addressed.length === 0 ? "" : `, ${addressed.length} perhaps addressed`;
  if (worst !== undefined) {
    const first = findings.filter(({ finding }) => finding.severity === worst).length;
    const milder = findings.length === first ? "" : `, ${findings.length - first} milder`;
    return `${counted(first, `${worst} finding`)} open${milder}${maybe}`;
  }
  if (reviewed.length === 0) return "";
  const isWhole = degraded.length + unread.length === 0 && coverage?.files.some(isUnread) !== true;
  return `Nothing open${isWhole ? "" : " in what was read"}${maybe}`;
}

/** Whether a model was to read the change, and read none or only a part of it because it failed. */
export function isUnreadByModel({ coverage, degraded }: Pick<Review, "coverage" | "degraded">): boolean {
  if (coverage !== null) return coverage.unanswered > 0;
  return degraded.some(({ part }) => part === "model");
}

/** Why nothing of a diff could be read; null otherwise. */
export function unreadDiff({ reviewed, degraded }: Pick<Review, "reviewed" | "degraded">): string | null {
  return reviewed.length > 0 ? null : (degraded.find(({ part }) => part === "diff")?.reason ?? null);
}
