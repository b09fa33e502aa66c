// Prepares texts for comparison once: a memory when it is written, a change when it asks.
import { LRUCache } from "lru-cache";
import type { DiffLine, Hunk } from "../../domain/pull-request.ts";
import { saysLittle, visibleProse, withoutFooters } from "../../domain/text/low-information.ts";
import { tokenise } from "../../domain/text/tokenise.ts";
import type { Lexicon } from "./term-ids.ts";

/** Numbers of words in a lexicon, in order, with repeats. */
export type Words = readonly number[];

export interface RememberedComment {
  readonly id: string;
  readonly pr: number;
  readonly path: string;
  readonly text: string;
  /** Its diff hunk (`@@ …` line optional), ending at the commented line; "" when unknown. */
  readonly hunk: string;
}

export interface Change {
  readonly title: string;
  readonly body: string;
  /** Of the changed files; none for a question. */
  readonly paths: readonly string[];
  readonly hunks: readonly ChangedHunk[];
}

export interface ChangedHunk extends Pick<Hunk, "section"> {
  readonly lines: readonly Pick<DiffLine, "kind" | "text">[];
}

/** A remembered comment in words. Depends on nothing else. */
export interface PreparedMemory {
  readonly id: string;
  readonly pr: number;
  readonly path: string;
  readonly lowInformation: boolean;
  readonly words: Words;
  /** Its sentences only, without code and suggestions. */
  readonly proseWords: Words;
  readonly spanWords: Words;
  /** The commented lines: the last of its hunk. */
  readonly lineWords: Words;
}

export interface PreparedChange {
  readonly title: Words;
  readonly body: Words;
  /** Title, body, paths and all added lines. */
  readonly all: Words;
  readonly added: Words;
  readonly removed: Words;
  readonly context: Words;
  /** Added and removed lines in windows of WINDOW_LINES, half overlapping. */
  readonly windows: readonly Words[];
  /** Added lines in windows of two. */
  readonly pairs: () => readonly Words[];
  readonly paths: readonly string[];
}

/** 5–40 lines are within noise (eval/research/retrieval.md). */
const WINDOW_LINES = 20;
/** Windows with the most words, kept of one change: bounds the time for a huge change. */
const MOST_WINDOWS = 500;
/** Lines at the end of a hunk that its comment is about. */
const HUNK_LINES = 4;
const BODY_CHARACTERS = 4_000;
/** A longer line is data or minified. */
const LINE_CHARACTERS = 2_000;
/** UTF-16 units of lines read of one change: a reviewer has stopped reading long before. */
const MOST_CHARACTERS = 1_000_000;

/** @param comment untrusted text in every field; never throws */
export function prepareMemory(comment: RememberedComment, { numbered }: Lexicon): PreparedMemory {
  const { lowInformation, said, prose, spans, lines } = readingOf(comment);
  const words = numbered(said);
  return {
    id: comment.id,
    pr: comment.pr,
    path: comment.path,
    lowInformation,
    words,
    proseWords: prose === said ? words : numbered(prose),
    spanWords: numbered(spans),
    lineWords: numbered(lines),
  };
}

/**
 * A cache by memory id: a change is searched again with every push and finds mostly the same
 * memories. Holds about 5,000 memories in words.
 */
const readings = new LRUCache<string, ReturnType<typeof read>>({
  maxSize: 1_000_000,
  sizeCalculation: ({ said, prose, spans, lines }) =>
    1 + said.length + (prose === said ? 0 : prose.length) + spans.length + lines.length,
});

function readingOf({ id, text, hunk }: RememberedComment) {
  const known = readings.get(id);
  if (known?.text === text && known.hunk === hunk) return known;
  const reading = read(text, hunk);
  readings.set(id, reading);
  return reading;
}

/** A comment's texts in words. `prose` is `said` itself when the comment is only sentences. */
function read(text: string, hunk: string) {
  const comment = withoutFooters(text);
  const said = tokenise(comment);
  const sentences = visibleProse(comment);
  // Without code and markup the sentences are everything; white space is no part of a word.
  const isProse = !(comment.includes("```") || comment.includes("<"));
  const spans = comment.matchAll(/`([^`\n]{2,80})`/g).map(([, span = ""]) => span);
  return {
    text,
    hunk,
    lowInformation: saysLittle(sentences),
    said,
    prose: isProse ? said : tokenise(sentences),
    spans: tokenise([...spans].join(" ")),
    lines: tokenise(linesAbout(hunk)),
  };
}

/** The last lines of a hunk without their marks, read from its end. */
function linesAbout(hunk: string): string {
  const about: string[] = [];
  for (let end = hunk.length; end >= 0 && about.length < HUNK_LINES; ) {
    const start = end === 0 ? 0 : hunk.lastIndexOf("\n", end - 1) + 1;
    if (!hunk.startsWith("@@", start)) about.push(hunk.slice(start + 1, Math.min(end, start + LINE_CHARACTERS)));
    end = start - 1;
  }
  return about.reverse().join("\n");
}

/** @param change untrusted text in every field; never throws. Time is bounded for any size */
export function prepareChange(change: Change, { numbersOf }: Lexicon): PreparedChange {
  const hunks = wordsOfHunks(change.hunks, numbersOf);
  const title = numbersOf(change.title);
  const body = numbersOf(change.body.slice(0, BODY_CHARACTERS));
  const paths = change.paths.flatMap(numbersOf);
  const added = hunks.flatMap((hunk) => hunk.added.flat());
  return {
    title,
    body,
    all: [...title, ...body, ...paths, ...added],
    added,
    removed: hunks.flatMap((hunk) => hunk.removed.flat()),
    context: hunks.flatMap((hunk) => hunk.context),
    windows: largest(hunks.flatMap((hunk) => stretches([...hunk.added, ...hunk.removed], WINDOW_LINES))),
    pairs: () => largest(hunks.flatMap((hunk) => stretches(hunk.added, 2))),
    paths: change.paths,
  };
}

function wordsOfHunks(hunks: readonly ChangedHunk[], numbersOf: Lexicon["numbersOf"]) {
  const found: { added: Words[]; removed: Words[]; context: Words }[] = [];
  let left = MOST_CHARACTERS;
  const words = (lines: ChangedHunk["lines"], wanted: DiffLine["kind"]) => {
    const read: Words[] = [];
    for (const { kind, text } of lines) {
      if (kind !== wanted) continue;
      if (left <= 0) break;
      left -= text.length + 1;
      read.push(numbersOf(text.slice(0, LINE_CHARACTERS)));
    }
    return read;
  };
  for (const { section, lines } of hunks) {
    if (left <= 0) break;
    const [added, removed] = [words(lines, "added"), words(lines, "removed")];
    const context = [...words(lines, "context").flat(), ...numbersOf(section.slice(0, LINE_CHARACTERS))];
    found.push({ added, removed, context });
  }
  return found;
}

/** Windows of `size` lines, each half over the next, without those of fewer than two words. */
function stretches(lines: readonly Words[], size: number): Words[] {
  const step = Math.ceil(size / 2);
  const found: Words[] = [];
  for (let at = 0; at === 0 || at < lines.length - step; at += step) {
    const words = lines.slice(at, at + size).flat();
    if (words.length > 1) found.push(words);
  }
  return found;
}

function largest(windows: readonly Words[]): readonly Words[] {
  if (windows.length <= MOST_WINDOWS) return windows;
  const sized = windows.map((window) => ({ window, size: new Set(window).size }));
  return sized
    .sort((a, b) => b.size - a.size)
    .slice(0, MOST_WINDOWS)
    .map(({ window }) => window);
}
