// Decides which hunks a model reads, in which order, and in how many questions, deterministically from the change
// alone. The most important hunks come first, so that the budget leaves out the least important; the omissions are
// reported.

import type { DiffLine, FileDiff, Hunk } from "../../domain/pull-request.ts";
import type { FileCoverage } from "../../domain/review.ts";
import type { FileKind, ReviewSignals } from "../../domain/signals.ts";
import { compareTexts } from "../../domain/text/compare-texts.ts";
import { type DrawnHunk, drawHunk, fileHeading, MOST_LINE_CHARS } from "./draw-file.ts";

export interface ReadingBudget {
  /** UTF-16 units of diff in one question. */
  readonly charsPerCall: number;
  /** UTF-16 units of diff in all questions together. */
  readonly charsInAll: number;
  readonly mostCalls: number;
}

/** One question: the drawn diff of some files. */
export interface Reading {
  /** Paths in the order of `text`. */
  readonly paths: readonly string[];
  readonly text: string;
}

export interface ReadingPlan {
  readonly readings: readonly Reading[];
  /** One entry for each reviewed file, in the given order: the coverage if every question is answered. */
  readonly coverage: readonly FileCoverage[];
}

/** The weight of a kind of file: a defect in a test or a document hurts less. */
const KIND_WEIGHT: Readonly<Record<FileKind, number>> = { source: 4, infra: 3, config: 2.5, test: 1.5, docs: 0.5 };
/** A risk in a file weighs as much as the step from a test to production code. */
const RISK_WEIGHT = 2.5;
const MOST_RISKS = 3;
/** Code in memory was worth a comment before. */
const PRECEDENT_WEIGHT = 1.5;

/**
 * Plans the reading.
 *
 * @param precedentPaths paths of precedents and of hunks that memory knows
 * @param headTexts by path
 */
export function planReading(
  files: readonly FileDiff[],
  signals: ReviewSignals,
  precedentPaths: ReadonlySet<string>,
  headTexts: ReadonlyMap<string, string>,
  budget: ReadingBudget,
): ReadingPlan {
  const weights = fileWeights(files, signals, precedentPaths);
  const ordered = [...files].sort(
    (a, b) => (weights.get(b.path) ?? 0) - (weights.get(a.path) ?? 0) || compareTexts(a.path, b.path),
  );
  const calls = packer(budget);
  const read = new Map<string, ReadFile>();
  for (const file of ordered) read.set(file.path, readFile(file, headTexts.get(file.path) ?? null, budget, calls));
  return { readings: calls.readings(), coverage: files.map((file) => coverageOf(file, read.get(file.path))) };
}

interface ReadFile {
  readonly taken: number;
  readonly of: number;
  readonly cutLines: number;
}

function readFile(
  file: FileDiff,
  headText: string | null,
  { charsPerCall }: ReadingBudget,
  calls: ReturnType<typeof packer>,
): ReadFile {
  const pieces = file.hunks.flatMap((hunk, index) => piecesOf(hunk, charsPerCall).map((piece) => ({ piece, index })));
  let headLines: readonly string[] | null = null;
  const read = { taken: 0, of: pieces.length, cutLines: 0 };
  for (const { piece, index } of pieces) {
    // Formatting a hunk that no longer fits would waste time.
    if (!calls.hasRoom(file, leastChars(piece))) continue;
    headLines ??= headText?.split("\n") ?? null;
    const drawn = drawHunk(file, index, piece, headLines);
    if (!calls.take(file, drawn)) continue;
    read.taken++;
    read.cutLines += drawn.cutLines;
  }
  return read;
}

/**
 * A lower bound of the hunk's formatted length: an anchor has at least 8 characters, and revealed characters only add
 * to it.
 */
function leastChars(hunk: Hunk): number {
  return hunk.lines.reduce((sum, { text }) => sum + Math.min(text.length, MOST_LINE_CHARS - 1) + 8, 0);
}

/** UTF-16 units that anchor, marker and line end add to a line. */
const LINE_FRAME = 16;

/**
 * The whole hunk; or, when it is longer than a question, consecutive pieces, cut at empty lines if possible. Pieces are
 * small compared with a question, so that little of its space is wasted.
 */
function piecesOf(hunk: Hunk, charsPerCall: number): readonly Hunk[] {
  const most = Math.max(1, Math.floor(charsPerCall * 0.9) - 2_000);
  const chars = hunk.lines.reduce((sum, line) => sum + shownChars(line), 0);
  return chars <= most ? [hunk] : cutHunk(hunk, Math.max(Math.floor(most / 7), Math.min(most, 2_000)));
}

function cutHunk(hunk: Hunk, most: number): readonly Hunk[] {
  const pieces: Hunk[] = [];
  let lines: DiffLine[] = [];
  let chars = 0;
  const close = () => {
    if (lines.length > 0) pieces.push(pieceOfHunk(hunk, lines));
    lines = [];
    chars = 0;
  };
  for (const line of hunk.lines) {
    const length = shownChars(line);
    if (chars + length > most || (chars > most * 0.8 && line.text.trim() === "")) close();
    lines.push(line);
    chars += length;
  }
  close();
  return pieces;
}

function shownChars({ text }: DiffLine): number {
  return Math.min(text.length, MOST_LINE_CHARS) + LINE_FRAME;
}

function fileWeights(
  files: readonly FileDiff[],
  signals: ReviewSignals,
  precedentPaths: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const kinds = new Map(signals.files.map(({ path, kind }) => [path, kind]));
  const risks = new Map<string, number>();
  for (const { evidence } of signals.risks) {
    for (const path of new Set(evidence.map((place) => place.path))) risks.set(path, (risks.get(path) ?? 0) + 1);
  }
  return new Map(
    files.map((file) => {
      const risk = RISK_WEIGHT * Math.min(MOST_RISKS, risks.get(file.path) ?? 0);
      const remembered = precedentPaths.has(file.path) ? PRECEDENT_WEIGHT : 0;
      // A large change holds more defects, but not in proportion: ten times the lines add one.
      const size = Math.log10(1 + file.additions + file.deletions);
      return [file.path, KIND_WEIGHT[kinds.get(file.path) ?? "source"] + risk + remembered + size];
    }),
  );
}

interface Call {
  readonly hunks: Map<FileDiff, DrawnHunk[]>;
  chars: number;
}

/** Packs whole hunks into questions, first fit; a hunk that fits no question is left out. */
function packer(budget: ReadingBudget) {
  const calls: Call[] = [];
  let inAll = 0;
  const frame = (file: FileDiff, call: Call | undefined) =>
    call?.hunks.has(file) === true ? 1 : fileHeading(file).length + 3;
  /** The last question keeps a file together; else an earlier one with space left; else a new one. */
  const callFor = (file: FileDiff, chars: number): Call | null => {
    const fits = (call: Call) => call.chars + chars + frame(file, call) <= budget.charsPerCall;
    const last = calls.at(-1);
    const call = last !== undefined && fits(last) ? last : calls.find(fits);
    if (call !== undefined) return call;
    const fitsNone = calls.length >= budget.mostCalls || chars + frame(file, undefined) > budget.charsPerCall;
    return fitsNone ? null : { hunks: new Map(), chars: 0 };
  };
  return {
    /** False when no question has space for so many characters. */
    hasRoom: (file: FileDiff, chars: number) => inAll + chars <= budget.charsInAll && callFor(file, chars) !== null,
    take(file: FileDiff, hunk: DrawnHunk): boolean {
      const call = callFor(file, hunk.text.length);
      if (call === null || inAll + hunk.text.length > budget.charsInAll) return false;
      if (!calls.includes(call)) calls.push(call);
      const needed = hunk.text.length + frame(file, call);
      call.chars += needed;
      inAll += needed;
      call.hunks.set(file, [...(call.hunks.get(file) ?? []), hunk]);
      return true;
    },
    readings: (): readonly Reading[] => calls.map(({ hunks }) => readingOf(hunks)),
  };
}

/** By path, as people read a diff. */
function readingOf(files: ReadonlyMap<FileDiff, readonly DrawnHunk[]>): Reading {
  const ordered = [...files].sort(([a], [b]) => compareTexts(a.path, b.path));
  const text = ordered.map(([file, hunks]) => [fileHeading(file), ...hunks.map((hunk) => hunk.text)].join("\n"));
  return { paths: ordered.map(([file]) => file.path), text: text.join("\n\n") };
}

function coverageOf(file: FileDiff, read: ReadFile | undefined): FileCoverage {
  const { path } = file;
  if (read === undefined || read.of === 0) {
    return file.complete
      ? { path, state: "full", reason: null }
      : { path, state: "not-read", reason: "its changes were not delivered" };
  }
  if (read.taken === 0) return { path, state: "not-read", reason: "over the budget of this review" };
  if (read.taken < read.of) {
    return { path, state: "partial", reason: `${read.taken} of ${read.of} pieces; the rest is over the budget` };
  }
  if (!file.complete) return { path, state: "partial", reason: "part of its changes was not delivered" };
  if (read.cutLines > 0) {
    const lines = read.cutLines === 1 ? "a long line" : `${read.cutLines} long lines`;
    return { path, state: "partial", reason: `only the beginning of ${lines} was shown` };
  }
  return { path, state: "full", reason: null };
}

// Part of a hunk, as a hunk.

/** Some consecutive lines of a hunk, with matching starts and lengths; the section stays the hunk's. */
export function pieceOfHunk(hunk: Hunk, lines: readonly DiffLine[]): Hunk {
  const first = (side: "oldLine" | "newLine", start: number) =>
    lines.find((line) => line[side] !== null)?.[side] ?? start;
  const count = (side: "oldLine" | "newLine") => lines.filter((line) => line[side] !== null).length;
  return {
    ...hunk,
    lines,
    oldStart: first("oldLine", hunk.oldStart),
    oldLines: count("oldLine"),
    newStart: first("newLine", hunk.newStart),
    newLines: count("newLine"),
  };
}
