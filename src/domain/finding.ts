import { createHash } from "node:crypto";

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

/** Text to put in place of head lines startLine…line. `text` has no closing newline. */
export interface Suggestion {
  readonly startLine: number;
  readonly line: number;
  readonly text: string;
}

/** What was said before, by whom and where, as far as that is known and may be shown; untrusted. */
export interface Quote {
  /** One line of at most 200 UTF-16 units and "…". */
  readonly quote?: string;
  /** A login; absent for what Kodiai said itself. */
  readonly author?: string;
  /** The number of the pull request. */
  readonly pull?: number;
}

/** A remembered finding or comment that speaks about the same thing. */
export interface Precedent extends Quote {
  readonly id: string;
  readonly url: string | null;
  readonly outcome: string;
  /** When, by whom and why it came to that: `2026-06-01 by @wren: by design`; untrusted. Absent when not known. */
  readonly decided?: string;
  /** ISO 8601 date. */
  readonly date: string;
  /** Raw cosine similarity, 0–1. */
  readonly similarity: number;
  /** Why people declined it, in their words: untrusted text. Absent where nobody gave a reason. */
  readonly reason?: string;
}

/**
 * How the place of a finding is known: a rule found it there; a model proved it by an anchor, or by a quote that stands
 * once in the file's diff; or it is not known, and the finding is about its file.
 */
export type LocMethod = "rule" | "anchor" | "quote" | "none";

/** Something worth saying about lines of the diff. */
export interface Finding {
  /** `fnd_` + 12 hex; the same defect on a moved line keeps its id (see findingId). */
  readonly id: string;
  readonly path: string;
  /** As in a diff: RIGHT is the head. */
  readonly side: "LEFT" | "RIGHT";
  /** 1-based, inclusive, on `side`; startLine = line for a single line. */
  readonly startLine: number;
  readonly line: number;
  readonly severity: Severity;
  readonly category: Category;
  /** The rule's id, or null when a model or memory speaks. */
  readonly rule: string | null;
  /** One line, no full stop, plain text. */
  readonly title: string;
  /** Why it matters and how to fix it: Markdown, at most a few sentences. */
  readonly body: string;
  readonly source: "rule" | "model" | "memory";
  /** 0–1; of a model's finding the product of its odds. */
  readonly confidence: number;
  /** Of a model's finding, 0–1 each: that the code does what it says, and that the author would change it. */
  readonly odds?: { readonly real: number; readonly wanted: number };
  readonly suggestion: Suggestion | null;
  readonly precedents: readonly Precedent[];
  /** Absent for a rule's finding. */
  readonly locMethod?: LocMethod;
}

/**
 * What makes findings of a rule fit one comment that names all their places: the same words, and nothing to commit.
 *
 * @returns the same text for such findings; null for one that needs a comment of its own
 */
export function sharedComment({ rule, source, severity, title, body, suggestion, precedents }: Finding): string | null {
  if (rule === null || source !== "rule" || suggestion !== null) return null;
  return JSON.stringify([rule, severity, title, body, precedents.map(({ id }) => id)]);
}

/** A finding that is not said, and why: a comment in the code, a setting, a threshold, a precedent. */
export interface HeldBack {
  readonly finding: Finding;
  readonly reason: string;
  /** What was said before, where that is the reason: declined, or standing on another open pull request. */
  readonly precedent?: Precedent;
}

/** True when `a` is at least as severe as `b`. */
export function atLeast(a: Severity, b: Severity): boolean {
  return SEVERITIES.indexOf(a) <= SEVERITIES.indexOf(b);
}

/** True for what nothing that was learnt or wished may silence: critical findings and matters of security. */
export function isAlwaysSaid({
  severity,
  category,
}: {
  readonly severity: Severity | null;
  readonly category: Category | null;
}): boolean {
  return severity === "critical" || category === "security";
}

/**
 * The identity of a finding across pushes: rule, path and the words of its lines, not their numbers.
 *
 * @param rule the rule's id (or the model's category and title)
 * @param path the head path
 * @param lines the text of the lines spoken about; white space is folded, so re-indentation keeps the id
 * @param occurrence 0 for the first such place of the file, 1 for the next, …
 * @returns `fnd_` + 12 hex digits of SHA-256
 */
export function findingId(rule: string, path: string, lines: readonly string[], occurrence: number): string {
  const words = lines.map((line) => line.replace(/\s+/g, " ").trim()).join("\n");
  const digest = createHash("sha256")
    .update(JSON.stringify([rule, path, words, occurrence]))
    .digest("hex");
  return `fnd_${digest.slice(0, 12)}`;
}

// Findings that are never silenced by a show of hands: that takes a reason, in words, by somebody who may write.

/** True for what is critical or a matter of security, and for major matters of correctness. */
export function isProtected({
  severity,
  category,
}: {
  readonly severity: Severity | null;
  readonly category: Category | null;
}): boolean {
  return isAlwaysSaid({ severity, category }) || (severity === "major" && category === "correctness");
}
