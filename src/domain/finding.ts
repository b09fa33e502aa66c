import { shortHash } from "./text/hash.ts";

export const SEVERITIES = ["critical", "major", "medium", "minor"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const CATEGORIES = [
  "security",
  "correctness",
  "performance",
  "reliability",
  "maintainability",
  "tests",
  "docs",
  "style",
] as const;
export type Category = (typeof CATEGORIES)[number];

/** Replaces head lines startLine…line. `text` has LF between lines, and none at its end. */
export interface Suggestion {
  readonly startLine: number;
  readonly line: number;
  readonly text: string;
  /** The lines of the head end in CR LF, and the new ones should; absent: in LF. */
  readonly crlf?: true;
}

/** An earlier comment, with author and place where known and shown; untrusted. */
export interface Quote {
  /** One line of at most 200 UTF-16 units and "…". */
  readonly quote?: string;
  /** A login; absent when Kodiai wrote it. */
  readonly author?: string;
  /** The number of the pull request. */
  readonly pull?: number;
}

/** A remembered finding or comment about the same thing. */
export interface Precedent extends Quote {
  readonly id: string;
  readonly url: string | null;
  readonly outcome: string;
  /** How the outcome came about: `2026-06-01 by @wren: by design`; untrusted. Absent: unknown. */
  readonly decided?: string;
  /** ISO 8601 date. */
  readonly date: string;
  /** Raw cosine similarity, 0–1. */
  readonly similarity: number;
  /** Why people declined it, in their words: untrusted text. Absent without a reason. */
  readonly reason?: string;
}

/**
 * How the place of a finding was established: by a rule; by a model with an anchor, or with a quote
 * that occurs once in the file's diff; or it is unknown, and the finding is about its file.
 */
export type LocMethod = "rule" | "anchor" | "quote" | "none";

/** A problem in lines of the diff. */
export interface Finding {
  /** `fnd_` + 12 hex; the same defect on a moved line keeps its id (see findingId). */
  readonly id: string;
  readonly path: string;
  /** GitHub's term: RIGHT is the head. */
  readonly side: "LEFT" | "RIGHT";
  /** 1-based, inclusive, on `side`; startLine = line for a single line. */
  readonly startLine: number;
  readonly line: number;
  readonly severity: Severity;
  readonly category: Category;
  /** The rule's id, after another tool's name (`eslint/no-eval`); null for a model or memory. */
  readonly rule: string | null;
  /** Rules of other tools that claim the same: `bandit/B602`; absent where there is none. */
  readonly alsoBy?: readonly string[];
  /** CWEs and tags by which the same claim of another tool is recognised; absent without one. */
  readonly tags?: readonly string[];
  /** One line, no full stop, plain text. */
  readonly title: string;
  /** Why it matters and how to fix it: Markdown, at most a few sentences. */
  readonly body: string;
  /** `tool`: a rule of another tool, whose text is untrusted. */
  readonly source: "rule" | "tool" | "model" | "memory";
  /** 0–1; for a model's finding the product of its odds. */
  readonly confidence: number;
  /** Of a model's finding, each 0–1: the claim is true of the code; the author would change it. */
  readonly odds?: { readonly real: number; readonly wanted: number };
  /** How many readings of a model that read the change several times named it. */
  readonly agreement?: { readonly named: number; readonly of: number };
  readonly suggestion: Suggestion | null;
  readonly precedents: readonly Precedent[];
  /** Absent for a rule's and a tool's finding. */
  readonly locMethod?: LocMethod;
}

/**
 * Findings of a rule, ours or another tool's, share one comment that lists all their places when
 * their texts are equal, but for the names of the code at each place, and they have no suggestion.
 *
 * @returns the same key for such findings; null for one that needs its own comment
 */
export function sharedComment({ rule, source, severity, title, body, suggestion, precedents }: Finding): string | null {
  if (rule === null || !(source === "rule" || source === "tool") || suggestion !== null) return null;
  const text = source === "rule" && body.startsWith(ABOUT) ? body.slice(body.indexOf("\n\n")) : body;
  return JSON.stringify([rule, severity, title, text, precedents.map(({ id }) => id)]);
}

/** Begins the paragraph that names the code: findings that differ in it alone share a comment. */
export const ABOUT = "This is";

/** A finding that is not posted, and why: a comment in the code, a setting, a precedent. */
export interface HeldBack {
  readonly finding: Finding;
  readonly reason: string;
  /** The reason's source: the declined finding, or the open comment on another pull request. */
  readonly precedent?: Precedent;
  /**
   * `author`: the author of the change can bring the reason about, so the finding counts for the
   * check. `decline`: it does not count for as long as a decline by a person with write access
   * stands. Absent: it does not count.
   */
  readonly heldBy?: "author" | "decline";
}

/** True when `a` is at least as severe as `b`. */
export function atLeast(a: Severity, b: Severity): boolean {
  return SEVERITIES.indexOf(a) <= SEVERITIES.indexOf(b);
}

/** The part of a finding, or of its memory, that decides what may suppress it. */
interface Judged {
  readonly severity: Severity | null;
  readonly category: Category | null;
}

/** True for critical and security findings: no learned or configured preference suppresses them. */
export function isAlwaysReported({ severity, category }: Judged): boolean {
  return severity === "critical" || category === "security";
}

/**
 * The identity of a finding across pushes: rule, path and the words of its lines, without line
 * numbers.
 *
 * @param rule the rule's id (or the model's category and title)
 * @param path the head path
 * @param lines the text of the finding's lines; white space is folded, so re-indentation keeps the
 * id
 * @param occurrence 0 for the first such place of the file, 1 for the next, …
 * @returns `fnd_` + 12 hex digits of SHA-256
 */
export function findingId(rule: string, path: string, lines: readonly string[], occurrence: number): string {
  const words = lines.map((line) => line.replace(/\s+/g, " ").trim()).join("\n");
  return `fnd_${shortHash(JSON.stringify([rule, path, words, occurrence]))}`;
}

/** True where memory repeats a finding that a person with write access declined with a reason. */
export function isAlwaysRepeated(finding: Pick<Finding, "severity" | "category" | "source">): boolean {
  // Most rules of other tools are called security: a team declines those that it does not mean.
  return isAlwaysReported(finding) && !(finding.source === "tool" && finding.severity !== "critical");
}

/**
 * True for critical and security findings, and for major correctness findings: reactions cannot
 * silence them, only a written reason by a person with write access.
 */
export function isProtected({ severity, category }: Judged): boolean {
  return isAlwaysReported({ severity, category }) || (severity === "major" && category === "correctness");
}
