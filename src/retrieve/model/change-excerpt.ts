// A change formatted for a model that describes it: its text, and its diff with a fair share of
// space for each file. Lock, generated and vendored files were already left out.

import type { FileDiff, PullRequest } from "../../domain/pull-request.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import { cutText, oneLine } from "../../domain/text/cut-text.ts";
import { visibleText } from "../../domain/text/rendered-markdown.ts";
import { fence, reveal, revealLine } from "../../domain/text/untrusted-text.ts";
import { fittingLines } from "../query/build-query.ts";

const TITLE_CHARS = 300;
const BODY_CHARS = 1_500;
/** Characters of a body that are read. */
const BODY_READ = 20_000;
/** Of one line: the rest of minified code adds nothing. */
const LINE_CHARS = 300;
const MARKS = { added: "+", removed: "-", context: " " } as const;

export interface ChangeExcerpt {
  /** Title, description, kind of change, languages, risks and paths. */
  readonly about: string;
  readonly diff: string;
}

/** The size of an excerpt; lengths in UTF-16 units. */
interface ExcerptBudget {
  readonly about: number;
  readonly diff: number;
  /** With more files each would get too little space; the most changed are shown. */
  readonly files: number;
  readonly unchanged: boolean;
}

const WIDE: ExcerptBudget = { about: 3_000, diff: 12_000, files: 30, unchanged: true };
/** Beside 25 memories the question still costs less than a cent. */
export const NARROW: ExcerptBudget = { about: 2_000, diff: 4_000, files: 12, unchanged: false };

export interface ExcerptSubject {
  readonly pull: Pick<PullRequest, "title" | "body">;
  readonly files: readonly FileDiff[];
}

/**
 * The excerpt of a change. Hidden characters are revealed, parts that a page hides are left out;
 * nothing is fenced yet. Time is bounded for any size.
 */
export function changeExcerpt(
  { pull, files }: ExcerptSubject,
  { intent, languages, risks }: Pick<ReviewSignals, "intent" | "languages" | "risks">,
  budget: ExcerptBudget = WIDE,
): ChangeExcerpt {
  const about = [
    `Title: ${revealLine(cutText(oneLine(pull.title), TITLE_CHARS))}`,
    ...(intent.type === null ? [] : [`Kind: ${intent.type}`]),
    ...(languages.length === 0 ? [] : [`Languages: ${languages.map(({ name }) => name).join(", ")}`]),
    ...risks.map(({ text }) => `Risk: ${text}`),
    reveal(cutText(visibleText(cutText(pull.body ?? "", BODY_READ)).text.trim(), BODY_CHARS)),
    ...files.slice(0, 100).map(({ path }) => revealLine(cutText(path, LINE_CHARS))),
  ];
  const texts = mostChanged(files, budget.files).map((file) => fileLines(file, budget));
  const shares = fairShares(texts.map(charsOf), budget.diff);
  const drawn = texts.map((lines, at) => fitting(lines, shares[at] ?? 0));
  return { about: cutText(about.join("\n"), budget.about), diff: cutText(drawn.join("\n"), budget.diff) };
}

/** The change between lines with the delimiter, under a heading. */
export function drawnChange({ about, diff }: ChangeExcerpt, delimiter: string): string {
  return `# The change\n\n${fence("pull request", about, delimiter)}\n\n${fence("diff", diff, delimiter)}`;
}

/**
 * Divides space so that no part gets more than it wants, the total is not exceeded, and what small
 * parts leave is shared by large ones.
 *
 * @param wants ≥ 0, in any unit
 */
export function fairShares(wants: readonly number[], budget: number): readonly number[] {
  const shares = wants.map(() => 0);
  let left = budget;
  const order = wants.map((want, at) => ({ want, at })).sort((a, b) => a.want - b.want);
  for (const [index, { want, at }] of order.entries()) {
    const share = Math.min(want, Math.floor(left / (order.length - index)));
    shares[at] = share;
    left -= share;
  }
  return shares;
}

/** In their own order. */
function mostChanged(files: readonly FileDiff[], count: number): readonly FileDiff[] {
  const withLines = files.filter(({ hunks }) => hunks.length > 0);
  const size = ({ additions, deletions }: FileDiff) => additions + deletions;
  const most = new Set(withLines.toSorted((a, b) => size(b) - size(a)).slice(0, count));
  return withLines.filter((file) => most.has(file));
}

/** With line ends. */
function charsOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length + 1, 0);
}

/** Heading and lines, as many as could ever be shown. */
function fileLines({ path, hunks }: FileDiff, { diff, unchanged }: ExcerptBudget): readonly string[] {
  const lines = [`### ${revealLine(cutText(path, LINE_CHARS))}`];
  let chars = charsOf(lines);
  for (const hunk of hunks) {
    const heading = `@@ ${revealLine(cutText(hunk.section, LINE_CHARS))}`.trim();
    const shown = unchanged ? hunk.lines : hunk.lines.filter(({ kind }) => kind !== "context");
    for (const text of [heading, ...shown.map((line) => `${MARKS[line.kind]}${cutText(line.text, LINE_CHARS)}`)]) {
      if (chars > diff) return lines;
      const line = revealLine(text);
      lines.push(line);
      chars += line.length + 1;
    }
  }
  return lines;
}

/** Whole lines from the first; a cut is marked. */
function fitting(lines: readonly string[], budget: number): string {
  if (charsOf(lines) <= budget) return lines.join("\n");
  return [...fittingLines(lines, budget - MISSING.length - 1), MISSING].join("\n");
}

const MISSING = "(the rest of this file is not shown)";
