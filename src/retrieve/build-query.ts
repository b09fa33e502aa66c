// The text that memory is searched with: what the pull request says about itself and what we concluded, within one length.

import { cutText } from "../domain/cut-text.ts";
import type { FileDiff, PullRequest } from "../domain/pull-request.ts";
import { shownText } from "../domain/shown-text.ts";
import type { ReviewSignals } from "../domain/signals.ts";

/** Characters of a query text: longer ones blur what they are about. */
export const QUERY_CHARS = 600;
const QUERY_CEILING = 800;

const BODY_CHARS = 200;
const LANGUAGES = 5;
const RISKS = 3;
const PATHS = 15;

/** A body that begins with pages of comments for the author is not read further than this. */
const BODY_READ = 20_000;

export interface QuerySubject {
  readonly pull: Pick<PullRequest, "title" | "body">;
  readonly files: readonly Pick<FileDiff, "path">[];
}

export type QuerySignals = {
  readonly intent: Pick<ReviewSignals["intent"], "type" | "focusAreas">;
  readonly languages: readonly Pick<ReviewSignals["languages"][number], "name">[];
  readonly risks: readonly Pick<ReviewSignals["risks"][number], "text">[];
  /** Null when nothing is known about the author. */
  readonly author: Pick<ReviewSignals["author"], "tier"> | null;
};

interface Part {
  readonly name: string;
  readonly lines: readonly string[];
  /** Smaller is dropped later. */
  readonly priority: number;
}

/**
 * The enriched query text. Lines in this order, each left out when it has nothing to say: title; the first 200 characters
 * of the body; `[fix]`; `Languages: a, b` (5); `Risk: a; b` (3); `Author: regular`; `Focus: security`; 15 paths, one a line.
 *
 * Where they do not fit, the least important go first: paths from the last, focus, author, risks, languages, type, body.
 * Nothing is cut inside a line, except a title that alone is too long, and never inside a surrogate pair. Never throws.
 *
 * @param options `maxChars` in UTF-16 units, 600 by default, 800 at most
 * @returns the text, and what was dropped, least important first
 */
export function buildRetrievalQuery(
  subject: QuerySubject,
  signals: QuerySignals,
  { maxChars = QUERY_CHARS }: { readonly maxChars?: number } = {},
): { readonly text: string; readonly dropped: readonly string[] } {
  const room = Number.isFinite(maxChars) ? Math.min(QUERY_CEILING, Math.max(0, Math.floor(maxChars))) : QUERY_CHARS;
  const title = cutText(subject.pull.title.replace(/[\r\n]+/g, " "), room);
  const parts = partsOf(subject, signals);
  const fitting = new Map<string, readonly string[]>();
  const dropped: string[] = [];
  let left = room - title.length;
  for (const part of parts.toSorted((a, b) => a.priority - b.priority)) {
    const lines = fittingLines(part.lines, left, title === "" && fitting.size === 0);
    // What is less important never takes the place of what did not fit.
    left = lines.length < part.lines.length ? 0 : left - lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (lines.length > 0) fitting.set(part.name, lines);
    if (lines.length < part.lines.length) dropped.unshift(droppedText(part, lines.length));
  }
  if (title !== subject.pull.title && title.length === room) dropped.push("end of the title");
  const lines = parts.flatMap(({ name }) => fitting.get(name) ?? []);
  return { text: (title === "" ? lines : [title, ...lines]).join("\n"), dropped };
}

function partsOf({ pull, files }: QuerySubject, { intent, languages, risks, author }: QuerySignals): readonly Part[] {
  const body = excerpt(pull.body ?? "");
  const line = (label: string, words: readonly string[], separator: string) =>
    words.length === 0 ? [] : [`${label}: ${words.join(separator)}`];
  const names = languages.slice(0, LANGUAGES).map(({ name }) => name);
  const texts = risks.slice(0, RISKS).map(({ text }) => text);
  return [
    { name: "body", priority: 1, lines: body === "" ? [] : body.split("\n") },
    { name: "type", priority: 2, lines: intent.type === null ? [] : [`[${intent.type}]`] },
    { name: "languages", priority: 3, lines: line("Languages", names, ", ") },
    { name: "risks", priority: 4, lines: line("Risk", texts, "; ") },
    { name: "author", priority: 5, lines: author === null ? [] : [`Author: ${author.tier}`] },
    { name: "focus", priority: 6, lines: line("Focus", intent.focusAreas, ", ") },
    { name: "paths", priority: 7, lines: files.slice(0, PATHS).map(({ path }) => path) },
  ];
}

/** Templates speak to the author in comments; nothing of them is about the change. */
function excerpt(body: string): string {
  const { text } = shownText(cutText(body, BODY_READ).replaceAll("\r\n", "\n"));
  return cutText(text.trim(), BODY_CHARS).trim();
}

/** The first lines that fit; each takes a line end, except the first of a text without a title. */
function fittingLines(lines: readonly string[], room: number, first: boolean): readonly string[] {
  const kept: string[] = [];
  let left = room + (first ? 1 : 0);
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
