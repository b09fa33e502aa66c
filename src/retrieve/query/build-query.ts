// Builds the text that memory is searched with, from the pull request's own text and our signals,
// within one length.

import type { FileDiff, Hunk, LinkedIssue, PullRequest } from "../../domain/pull-request.ts";
import type { QueryVariant } from "../../domain/retrieval.ts";
import type { FileFacts, ReviewSignals, Risk } from "../../domain/signals.ts";
import { cutText, oneLine } from "../../domain/text/cut-text.ts";
import { visibleText } from "../../domain/text/rendered-markdown.ts";
import { byScore } from "../rank/fusion.ts";

/** Characters of a query text: longer ones blur what they are about. */
const QUERY_CHARS = 600;
const QUERY_CEILING = 800;

const BODY_CHARS = 200;
const LANGUAGES = 5;
const RISKS = 3;
const QUERY_PATHS = 15;

/** Characters of a body that are searched for its first visible text. */
const BODY_READ = 20_000;

interface QuerySubject {
  readonly pull: Pick<PullRequest, "title" | "body">;
  readonly files: readonly Pick<FileDiff, "path">[];
  readonly issues: readonly LinkedIssue[];
}

export type QuerySignals = {
  readonly intent: Pick<ReviewSignals["intent"], "type" | "focusAreas">;
  readonly languages: readonly Pick<ReviewSignals["languages"][number], "name">[];
  readonly risks: readonly Pick<Risk, "text">[];
  readonly author: Pick<ReviewSignals["author"], "tier"> | null;
};

interface Part {
  readonly name: string;
  readonly lines: readonly string[];
}

/**
 * The enriched query text. Lines in this order, each left out when empty: title; the first 200
 * characters of the body; a line for each issue that it closes; `[fix]`; `Languages: a, b` (5);
 * `Risk: a; b` (3); `Author: regular`; `Focus: security`; 15 paths, one per line.
 *
 * If they do not fit, the least important are dropped first: paths from the last, focus, author,
 * risks, languages, type, issues, body. Nothing is cut inside a line, except a title that alone is
 * too long, and never inside a surrogate pair. Never throws.
 *
 * @param maxChars in UTF-16 units, 800 at most
 * @returns the text, and what was dropped, least important first
 */
export function buildRetrievalQuery(
  subject: QuerySubject,
  signals: QuerySignals,
  maxChars = QUERY_CHARS,
): { readonly text: string; readonly dropped: readonly string[] } {
  const budget = Number.isFinite(maxChars) ? Math.min(QUERY_CEILING, Math.max(0, Math.floor(maxChars))) : QUERY_CHARS;
  const title = cutText(subject.pull.title.replace(/[\r\n]+/g, " "), budget);
  const lines = title === "" ? [] : [title];
  const dropped: string[] = [];
  let left = budget - title.length;
  for (const part of partsOf(subject, signals)) {
    // Each line takes a line end, except the first of a text without a title.
    const fitting = fittingLines(part.lines, lines.length === 0 ? left + 1 : left);
    const isWhole = fitting.length === part.lines.length;
    // A less important part never replaces one that did not fit.
    left = isWhole ? left - fitting.reduce((sum, line) => sum + line.length + 1, 0) : 0;
    if (!isWhole) dropped.unshift(droppedText(part, fitting.length));
    lines.push(...fitting);
  }
  if (title !== subject.pull.title && title.length === budget) dropped.push("end of the title");
  return { text: lines.join("\n"), dropped };
}

/**
 * The text without words of fewer letters and digits, punctuation aside: `id`, `a.b`, `(ok)`. A
 * word ends at a space, so that `retry.ts` is one; scripts that do without spaces have no short
 * words.
 */
export function withoutShortWords(text: string, least: number): string {
  return text.replace(/\S+/g, (word) => {
    const letters = word.replace(/[^\p{L}\p{N}]/gu, "");
    return letters.length < least && /^[\p{Script=Latin}\p{N}]*$/u.test(letters) ? "" : word;
  });
}

function partsOf(
  { pull, files, issues }: QuerySubject,
  { intent, languages, risks, author }: QuerySignals,
): readonly Part[] {
  const body = excerpt(pull.body ?? "");
  const line = (label: string, words: readonly string[], separator: string) =>
    words.length === 0 ? [] : [`${label}: ${words.join(separator)}`];
  const names = languages.slice(0, LANGUAGES).map(({ name }) => name);
  const texts = risks.slice(0, RISKS).map(({ text }) => text);
  return [
    { name: "body", lines: body === "" ? [] : body.split("\n") },
    { name: "issues", lines: issues.flatMap((issue) => (issue.kind === "read" ? [issueLine(issue)] : [])) },
    { name: "type", lines: intent.type === null ? [] : [`[${intent.type}]`] },
    { name: "languages", lines: line("Languages", names, ", ") },
    { name: "risks", lines: line("Risk", texts, "; ") },
    { name: "author", lines: author === null ? [] : [`Author: ${author.tier}`] },
    { name: "focus", lines: line("Focus", intent.focusAreas, ", ") },
    { name: "paths", lines: files.slice(0, QUERY_PATHS).map(({ path }) => path) },
  ];
}

const ISSUE_CHARS = 120;

function issueLine({ title, body }: Extract<LinkedIssue, { kind: "read" }>): string {
  return cutText(oneLine(`${title}: ${excerpt(body)}`), ISSUE_CHARS);
}

/** Templates address the author in comments, which say nothing about the change. */
function excerpt(body: string): string {
  const { text } = visibleText(cutText(body, BODY_READ).replaceAll("\r\n", "\n"));
  return cutText(text.trim(), BODY_CHARS).trim();
}

/** The first lines that fit, each with a line end. */
export function fittingLines(lines: readonly string[], budget: number): readonly string[] {
  const kept: string[] = [];
  let left = budget;
  for (const line of lines) {
    if (line.length + 1 > left) break;
    kept.push(line);
    left -= line.length + 1;
  }
  return kept;
}

function droppedText({ name, lines }: Part, kept: number): string {
  return kept === 0 ? name : `${name} after the first ${kept} of ${lines.length}`;
}

// The query variants of a pull request: intent, paths, characteristics, and its changed code.

/** Characters of one hunk's text: about one thought for an embedder. */
const HUNK_CHARS = 1_500;
/** Characters of one changed line; the rest of minified code adds nothing. */
const LINE_CHARS = 300;
export const VARIANT_PATHS = 8;
const WORDS = 5;

type VariantSubject = { readonly pull: Pick<PullRequest, "title">; readonly files: readonly FileDiff[] };
type VariantSignals = Pick<ReviewSignals, "intent" | "languages" | "risks" | "files">;

/**
 * The texts to search with: `intent` is the enriched query; `paths` the title with the first paths;
 * `code` the title with languages, risks and type; one `hunk` for each chosen hunk. Duplicate texts
 * are left out.
 *
 * @param intent from buildRetrievalQuery
 * @param paths how many at most
 */
export function queryVariants(
  intent: string,
  subject: VariantSubject,
  signals: VariantSignals,
  paths = VARIANT_PATHS,
): readonly QueryVariant[] {
  const chosen = chooseHunks(subject.files, signals.files, signals.risks);
  const variants: readonly QueryVariant[] = [
    { kind: "intent", text: intent, path: null },
    { kind: "paths", text: pathsText(subject, paths), path: null },
    { kind: "code", text: codeText(subject, signals), path: null },
    ...chosen.map((hunk): QueryVariant => ({ kind: "hunk", text: hunkText(hunk), path: hunk.path })),
  ];
  const seen = new Set<string>();
  return variants.filter(({ text }) => {
    const news = text.trim() !== "" && !seen.has(text);
    seen.add(text);
    return news;
  });
}

function pathsText({ pull, files }: VariantSubject, most: number): string {
  const title = oneLine(pull.title);
  if (files.length === 0) return title;
  return [title, "files:", ...files.slice(0, most).map(({ path }) => path)].join("\n").trim();
}

function codeText({ pull }: VariantSubject, { languages, risks, intent }: VariantSignals): string {
  const names = [...new Set(languages.map(({ name }) => name))].sort().slice(0, WORDS);
  const texts = [...new Set(risks.map(({ text }) => text))].sort().slice(0, WORDS);
  const lines = [oneLine(pull.title)];
  if (names.length > 0) lines.push(`languages: ${names.join(" ")}`);
  if (texts.length > 0) lines.push(`risk: ${texts.join(" ")}`);
  if (intent.type !== null) lines.push(`type: ${intent.type}`);
  return lines.join("\n").trim();
}

/** Path, enclosing function, and the added lines, or the removed ones when none was added. */
function hunkText({ path, hunk }: ScoredHunk): string {
  const added = hunk.lines.filter(({ kind }) => kind === "added");
  const shown = added.length > 0 ? added : hunk.lines.filter(({ kind }) => kind === "removed");
  let text = [path, hunk.section.trim()].filter((line) => line !== "").join("\n");
  for (const line of shown) {
    const next = cutText(line.text, LINE_CHARS);
    if (next.trim() === "") continue;
    if (text.length + next.length + 1 > HUNK_CHARS) break;
    text += `\n${next}`;
  }
  return text;
}

// Chooses the hunks of a large change to search with: every file gets its share, and within it
// risky and large hunks come first.

/** Hunks of one review: each is an embedding and two searches. */
const HUNKS = 8;

/** The weight of a risk on one of a hunk's lines against size, in doublings of changed lines. */
const RISK_WORTH = 6;
/** How much less a file of this kind matters than source. */
const KIND_COST: Readonly<Record<FileFacts["kind"], number>> = { source: 0, infra: 1, config: 2, test: 2, docs: 4 };

interface ScoredHunk {
  readonly id: string;
  readonly path: string;
  readonly hunk: Hunk;
  readonly score: number;
}

/**
 * Chooses hunks in rounds: the best hunk of each file, best files first, then the second best of
 * each, until there are enough. Only hunks that add or remove something count.
 */
function chooseHunks(
  files: readonly FileDiff[],
  facts: readonly FileFacts[],
  risks: readonly Risk[],
): readonly ScoredHunk[] {
  const kinds = new Map(facts.map(({ path, kind }) => [path, kind]));
  const places = Map.groupBy(
    risks.flatMap(({ evidence }) => evidence),
    ({ path }) => path,
  );
  const queues = files.map((file) => {
    const risky = places.get(file.path) ?? [];
    return scoredHunks(file, kinds.get(file.path) ?? "source", new Set(risky.map(({ line }) => line)));
  });
  const chosen: ScoredHunk[] = [];
  for (let round = 0; chosen.length < HUNKS; round += 1) {
    const heads = queues.flatMap((queue) => queue[round] ?? []).sort(byScore);
    if (heads.length === 0) break;
    chosen.push(...heads);
  }
  return chosen.slice(0, HUNKS);
}

/** @param risky lines of the file with a risk; null for a risk of the whole file */
function scoredHunks(
  file: FileDiff,
  kind: FileFacts["kind"],
  risky: ReadonlySet<number | null>,
): readonly ScoredHunk[] {
  const byPath = risky.has(null) ? 0.5 : 0;
  return file.hunks
    .map((hunk, index) => {
      const changed = hunk.lines.filter((line) => line.kind !== "context");
      const added = changed.filter((line) => line.kind === "added");
      const onRisk = added.some(({ newLine }) => risky.has(newLine)) ? 1 : 0;
      // Added lines show what the change does; removed ones count half.
      const size = Math.log2(1 + added.length + (changed.length - added.length) / 2);
      const score = size + RISK_WORTH * (onRisk + byPath) - KIND_COST[kind];
      return { id: `${file.path}\n${index}`, path: file.path, hunk, score, changed: changed.length };
    })
    .filter(({ changed }) => changed > 0)
    .sort(byScore);
}
